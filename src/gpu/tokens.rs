//! Splits WGSL with the directives of `naga_oil` into tokens: for the colors of the editor, and for finding the place
//! of an error in a file whose names the composer has replaced.

use std::ops::Range;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A comment, without the end of its line.
    Comment,
    /// A line that `naga_oil` interprets, such as `#import` or `#ifdef`.
    Directive,
    /// A definition that `naga_oil` replaces by a number: `#{NAME}`.
    Definition,
    /// An attribute such as `@compute`.
    Attribute,
    /// A keyword of the language.
    Keyword,
    /// A predeclared type such as `vec3`.
    Type,
    /// A number, `true` or `false`.
    Number,
    /// Any other name.
    Name,
    /// The name before an opening parenthesis.
    Call,
    /// An operator, a bracket or a separator.
    Punctuation,
}

/// A token of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its kind.
    pub kind: TokenKind,
    /// Its bytes in the text.
    pub range: Range<usize>,
}

const KEYWORDS: &[&str] = &[
    "alias",
    "break",
    "case",
    "const",
    "const_assert",
    "continue",
    "continuing",
    "default",
    "diagnostic",
    "discard",
    "else",
    "enable",
    "fn",
    "for",
    "if",
    "let",
    "loop",
    "override",
    "requires",
    "return",
    "struct",
    "switch",
    "var",
    "while",
];

const TYPES: &[&str] = &[
    "array",
    "atomic",
    "bool",
    "f16",
    "f32",
    "function",
    "i32",
    "mat2x2",
    "mat3x3",
    "mat4x4",
    "private",
    "ptr",
    "read",
    "read_write",
    "sampler",
    "sampler_comparison",
    "storage",
    "texture_2d",
    "texture_depth_2d",
    "texture_depth_2d_array",
    "texture_depth_multisampled_2d",
    "texture_multisampled_2d",
    "texture_storage_2d",
    "u32",
    "uniform",
    "vec2",
    "vec3",
    "vec4",
    "workgroup",
    "write",
];

/// The tokens of a text in order; spaces and line ends belong to none.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut lexer = Lexer { text, at: 0, found: Vec::new(), begins_line: true };
    while lexer.next_token() {}
    lexer.found
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    found: Vec<Token>,
    /// Whether only spaces precede the place on its line.
    begins_line: bool,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// Number of bytes up to the first character that does not satisfy `is_inside`.
    fn length(&self, is_inside: impl Fn(char) -> bool) -> usize {
        self.rest().find(|character| !is_inside(character)).unwrap_or(self.rest().len())
    }

    fn push(&mut self, kind: TokenKind, length: usize) {
        self.found.push(Token { kind, range: self.at..self.at + length });
        self.at += length;
        self.begins_line = false;
    }

    /// Adds the next token; false at the end of the text.
    fn next_token(&mut self) -> bool {
        let Some(first) = self.rest().chars().next() else { return false };
        let to_line_end = self.length(|character| character != '\n');
        match first {
            '\n' => {
                self.begins_line = true;
                self.at += 1;
            }
            _ if first.is_whitespace() => self.at += first.len_utf8(),
            '/' if self.rest().starts_with("//") => self.push(TokenKind::Comment, to_line_end),
            '/' if self.rest().starts_with("/*") => self.push(TokenKind::Comment, block_comment(self.rest())),
            '#' if self.begins_line && self.rest()[1..].starts_with(|next: char| next.is_alphabetic()) => {
                let line = &self.rest()[..to_line_end];
                let length = line.find("//").map_or(line, |comment| &line[..comment]).trim_end().len();
                self.push(TokenKind::Directive, length);
            }
            '#' => {
                let length = match self.rest().find('}') {
                    Some(end) if self.rest().starts_with("#{") && end < to_line_end => end + 1,
                    _ => 1 + self.rest()[1..].find(|c: char| !is_of_name(c)).unwrap_or(self.rest().len() - 1),
                };
                self.push(TokenKind::Definition, length);
            }
            '@' => {
                let length = 1 + self.rest()[1..].find(|c: char| !is_of_name(c)).unwrap_or(self.rest().len() - 1);
                self.push(TokenKind::Attribute, length);
            }
            _ if first.is_ascii_digit() => {
                let mut before = first;
                // The sign of an exponent belongs to the number, as in 1e-3.
                let end = self.rest().find(|character: char| {
                    let is_sign = matches!(character, '+' | '-') && matches!(before, 'e' | 'E');
                    before = character;
                    !(is_of_name(character) || character == '.' || is_sign)
                });
                let length = end.unwrap_or(self.rest().len());
                self.push(TokenKind::Number, length);
            }
            _ if is_of_name(first) => self.push_name(),
            _ => self.push(TokenKind::Punctuation, first.len_utf8()),
        }
        true
    }

    fn push_name(&mut self) {
        let length = self.length(is_of_name);
        let name = &self.rest()[..length];
        let is_vector = |letter: char| name.strip_suffix(letter).is_some_and(|stem| TYPES.contains(&stem));
        let kind = if KEYWORDS.contains(&name) {
            TokenKind::Keyword
        } else if name == "true" || name == "false" {
            TokenKind::Number
        } else if TYPES.contains(&name) || ['f', 'u', 'i', 'h'].into_iter().any(is_vector) {
            TokenKind::Type
        } else if self.rest()[length..].trim_start_matches(' ').starts_with('(') {
            TokenKind::Call
        } else {
            TokenKind::Name
        };
        self.push(kind, length);
    }
}

fn is_of_name(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Length of the block comment that a text begins with. Block comments can be nested; one that is not closed reaches to
/// the end.
fn block_comment(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        if rest.starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    text.len()
}

/// The place in a line of a file of a place in the same line after the composer has replaced names in it: a path such
/// as `grid::cell_index` becomes one decorated name, and `#{NAME}` a number. Both are ranges of bytes.
pub(super) fn place_in_line(original: &str, composed: &str, place: Range<usize>) -> Range<usize> {
    let within = |range: Range<usize>| range.start.min(original.len())..range.end.min(original.len());
    if original == composed {
        return within(place);
    }
    let (ours, theirs) = (words(original), words(composed));
    let number = |byte: usize| theirs.iter().position(|word| word.end > byte).unwrap_or(theirs.len());
    let first = number(place.start);
    let last = number(place.end.saturating_sub(1).max(place.start));
    match (ours.get(first), ours.get(last)) {
        (Some(first), Some(last)) => first.start..last.end,
        (Some(first), None) => first.start..original.len(),
        _ => within(original.len() - original.trim_start().len()..original.trim_end().len()),
    }
}

/// The tokens of a line, in which a path of names separated by `::` is one.
fn words(line: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut joins = false;
    let is_colon = |token: &Token| &line[token.range.clone()] == ":";
    let all = tokens(line);
    let mut place = 0;
    while let Some(token) = all.get(place) {
        let next = all.get(place + 1);
        if is_colon(token) && next.is_some_and(|next| is_colon(next) && next.range.start == token.range.end) {
            joins = !found.is_empty();
            place += 2;
            continue;
        }
        match found.last_mut().filter(|_| joins) {
            Some(last) => last.end = token.range.end,
            None => found.push(token.range.clone()),
        }
        joins = false;
        place += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_recognized() {
        let text = "#import a::b\n@group(0) let x: vec3<f32> = pair::load(1e-3, #{N}); // end\n/* a /* b */ */ true";
        let found: Vec<_> = tokens(text).into_iter().map(|token| (token.kind, &text[token.range])).collect();
        for expected in [
            (TokenKind::Directive, "#import a::b"),
            (TokenKind::Attribute, "@group"),
            (TokenKind::Keyword, "let"),
            (TokenKind::Name, "x"),
            (TokenKind::Type, "vec3"),
            (TokenKind::Call, "load"),
            (TokenKind::Number, "1e-3"),
            (TokenKind::Definition, "#{N}"),
            (TokenKind::Comment, "// end"),
            (TokenKind::Comment, "/* a /* b */ */"),
            (TokenKind::Number, "true"),
        ] {
            assert!(found.contains(&expected), "{expected:?} in {found:?}");
        }
    }

    #[test]
    fn tokens_cover_every_embedded_shader_in_order() {
        let library = crate::gpu::ShaderLibrary::embedded();
        for file in crate::gpu::ShaderLibrary::files() {
            let text = library.source(file).expect("an embedded file");
            let mut end = 0;
            for token in tokens(&text) {
                assert!(text[end..token.range.start].trim().is_empty() && !token.range.is_empty(), "{file}: {token:?}");
                end = token.range.end;
            }
            assert!(text[end..].trim().is_empty(), "{file}");
        }
    }

    #[test]
    fn places_are_found_although_the_composer_replaced_names() {
        let original = "    let cell = grid::cell_index(parameters, #{N}) + wrong;";
        let composed = "    let cell = cell_indexX_naga_oil_mod_ABCX(parameters, 16u) + wrong;";
        let place = |word: &str| {
            let start = composed.find(word).expect("it is there");
            &original[place_in_line(original, composed, start..start + word.len())]
        };
        assert_eq!(place("wrong"), "wrong");
        assert_eq!(place("cell_indexX_naga_oil_mod_ABCX"), "grid::cell_index");
        assert_eq!(place("16u"), "#{N}");
        assert_eq!(place_in_line("short", "short", 3..99), 3..5, "a place beyond the line ends with it");
    }
}
