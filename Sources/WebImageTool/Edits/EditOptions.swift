// SPDX-License-Identifier: MIT
internal import WebImage

extension OptionSpecification {
    /// What is done to pictures, each in its place in the command line.
    static let steps: [OptionSpecification] = [
        OptionSpecification(
            "resize", short: "r", value: "WxH",
            "Fit into this box of pixels; 300x and x200 limit one side, 50% is a share."),
        OptionSpecification(
            "crop", value: "WxH[+X+Y]", "Cut this part out; without a place, where --gravity says."),
        OptionSpecification("trim", "Cut a border of one colour off."),
        OptionSpecification("rotate", value: "DEGREES", "Turn clockwise; --background fills the corners."),
        OptionSpecification("flip", value: "HOW", "Mirror: horizontal, vertical or both."),
        OptionSpecification(
            "pad", value: "N|WxH|T,R,B,L", "Put a border of --background around, or fill up to a size."),
        OptionSpecification(
            "round", value: "RADIUS|circle", "Round corners off, or cut a circle out; --border draws a line."),
        OptionSpecification("blur", value: "SIGMA", "A Gaussian blur."),
        OptionSpecification("sharpen", value: "SIGMA[,AMOUNT[,THRESHOLD]]", "An unsharp mask."),
        OptionSpecification(
            "tint", value: "COLOR", "Fill the picture's shape with a colour, or mix it in by --blend."),
        OptionSpecification("grayscale", "Take colours away."),
        OptionSpecification("sepia", "The brown of old photographs."),
        OptionSpecification("invert", "The negative."),
        OptionSpecification("brightness", value: "FACTOR", "Every part of a colour times this."),
        OptionSpecification("contrast", value: "FACTOR", "Distances from middle gray times this."),
        OptionSpecification("saturation", value: "FACTOR", "Distances from gray times this."),
        OptionSpecification("gamma", value: "GAMMA", "Brighten the middle tones, or darken them below 1."),
        OptionSpecification("duotone", value: "DARK,BRIGHT", "Two colours by brightness."),
        OptionSpecification(
            "overlay", value: "FILE", "Lay a picture over, where --gravity says (bottom-right)."),
        OptionSpecification("flatten", value: "COLOR", "Put on a colour, so that nothing is transparent."),
    ]

    /// How a step is done.
    static let modifiers: [OptionSpecification] = [
        OptionSpecification(
            "fit", value: "HOW",
            "With --resize: contain (whole, never enlarged; the default), cover (fills the box, cut) or fill (stretched)."
        ),
        OptionSpecification("kernel", value: "KERNEL", "With --resize: \(names(ResamplingKernel.self))."),
        OptionSpecification("linear", "With --resize: average light, not stored values."),
        OptionSpecification(
            "gravity", value: "WHERE", "What is kept, or where something goes: \(names(Gravity.self))."),
        OptionSpecification(
            "background", value: "COLOR", "With --rotate and --pad; without one, as --flatten."),
        OptionSpecification(
            "border", value: "WIDTH,COLOR", "With --round: a line along the inside of the edge."),
        OptionSpecification("blend", value: "MODE", "With --tint and --overlay: \(names(BlendMode.self))."),
        OptionSpecification("opacity", value: "0-1", "With --overlay: how much of it is to be seen."),
        OptionSpecification("inset", value: "PIXELS", "With --overlay: its distance from the edges."),
    ]

    static let srgb = OptionSpecification(
        "srgb", "Convert from the picture's ICC profile to sRGB, before every step; load does it after them.")

    static let edits = steps + modifiers + [srgb]

    /// The names of all cases, as they are written on a command line.
    static func names<Choice: CaseIterable & RawRepresentable<String>>(_ choices: Choice.Type) -> String {
        let all = choices.allCases.map { dashed($0.rawValue) }
        return all.dropLast().joined(separator: ", ") + " or " + (all.last ?? "")
    }

    /// `bottomRight` as `bottom-right`.
    static func dashed(_ name: String) -> String {
        name.reduce(into: "") { text, letter in
            text += letter.isUppercase ? "-" + letter.lowercased() : String(letter)
        }
    }
}

/// A note on the order, for the help of every command that edits.
enum EditNotes {
    static let order =
        "Pictures are changed in the order of the options. --fit, --kernel, --linear, --gravity, --background, --border, "
        + "--blend, --opacity and --inset belong to the nearest step before them that takes them, else to the first after "
        + "them. Colours are written #rgb, #rrggbb or #rrggbbaa; black, white and clear have names."
}
