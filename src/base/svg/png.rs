//! SVG as PNG, with the fonts that are built in: the same bytes everywhere.

use super::Svg;
use resvg::{
    tiny_skia::{Pixmap, Transform},
    usvg::{Options, Tree, fontdb::Database},
};
use std::sync::{Arc, LazyLock};
use ttf_parser::Face;

static REGULAR: &[u8] = include_bytes!("../../../resources/fonts/DejaVuSans.ttf");
static BOLD: &[u8] = include_bytes!("../../../resources/fonts/DejaVuSans-Bold.ttf");

static FONTS: LazyLock<Arc<Database>> = LazyLock::new(|| {
    let mut fonts = Database::new();
    fonts.load_font_data(REGULAR.to_vec());
    fonts.load_font_data(BOLD.to_vec());
    fonts.set_sans_serif_family("DejaVu Sans");
    Arc::new(fonts)
});

/// The widest and highest picture, in pixels.
pub const LARGEST: u32 = 8192;

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BadPicture {
    #[error("a picture of {0} by {1} pixels is too large: {LARGEST} at most")]
    TooLarge(u32, u32),
    #[error("the picture cannot be drawn: {0}")]
    Drawing(String),
    #[error("a PNG picture cannot show the character `{0}`: write an SVG file instead")]
    Glyph(char),
}

/// The picture as the bytes of a PNG file, `width` pixels wide.
pub fn png(svg: &Svg, width: u32) -> Result<Vec<u8>, BadPicture> {
    let drawing = |error: &dyn std::fmt::Display| BadPicture::Drawing(error.to_string());
    let (units, _) = svg.size();
    let scale = f64::from(width) / units.max(1.0);
    let height = (svg.size().1 * scale).round().max(1.0) as u32;
    if width == 0 || width > LARGEST || height > LARGEST {
        return Err(BadPicture::TooLarge(width, height));
    }
    if let Some(missing) = svg.letters.iter().copied().find(|&c| !has_glyph(c)) {
        return Err(BadPicture::Glyph(missing));
    }
    let options = Options { fontdb: FONTS.clone(), font_family: "DejaVu Sans".into(), ..Options::default() };
    let tree = Tree::from_str(&svg.document(), &options).map_err(|e| drawing(&e))?;
    let mut pixels = Pixmap::new(width, height).ok_or(BadPicture::TooLarge(width, height))?;
    let scale = scale as f32;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    pixels.encode_png().map_err(|e| drawing(&e))
}

fn has_glyph(c: char) -> bool {
    static FACE: LazyLock<Option<Face<'static>>> = LazyLock::new(|| Face::parse(REGULAR, 0).ok());
    FACE.as_ref().is_some_and(|face| face.glyph_index(c).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::svg::{Anchor, Paint, Type};

    fn picture(text: &str) -> Svg {
        let mut svg = Svg::new(40.0, 20.0);
        svg.background("#ffffff").rect(0.0, 0.0, 10.0, 10.0, Paint::fill("#ff0000"));
        svg.text(30.0, 15.0, text, Type::new(12.0, "#000000", Anchor::Middle));
        svg
    }

    #[test]
    fn a_picture_has_its_colours_its_text_and_its_size() {
        let pixels = |text: &str, width| Pixmap::decode_png(&png(&picture(text), width).unwrap()).unwrap();
        let large = pixels("A", 80);
        assert_eq!((large.width(), large.height()), (80, 40));
        let colour = |x, y| large.pixel(x, y).map(|p| (p.red(), p.green(), p.blue()));
        assert_eq!((colour(4, 4), colour(76, 4)), (Some((255, 0, 0)), Some((255, 255, 255))));
        let ink = |pixels: &Pixmap| pixels.pixels().iter().filter(|p| p.red() < 128).count();
        assert!(ink(&large) > ink(&pixels(".", 80)), "a letter has more ink than a full stop");
        assert_eq!(png(&picture("A"), 80), png(&picture("A"), 80));
    }

    #[test]
    fn what_cannot_be_drawn_is_said() {
        assert_eq!(png(&picture("黒"), 80), Err(BadPicture::Glyph('黒')));
        assert_eq!(png(&picture("é"), LARGEST + 1), Err(BadPicture::TooLarge(8193, 4097)));
        assert!(png(&picture("é"), 0).is_err());
    }
}
