//! Expressions of formulas: they are evaluated, and written with their symbols or with numbers in their places.

use super::{Unit, Values};

/// An expression over named symbols.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Expression {
    /// A number.
    Number(f64),
    /// A symbol.
    Symbol(&'static str),
    /// A number times a symbol.
    Term(f64, &'static str),
    /// A sum.
    Sum(&'static [Expression]),
    /// The first expression minus the second one.
    Difference(&'static [Expression; 2]),
    /// A product.
    Product(&'static [Expression]),
    /// The first expression divided by the second one.
    Quotient(&'static [Expression; 2]),
    /// The square of an expression.
    Square(&'static Expression),
    /// The cube of an expression.
    Cube(&'static Expression),
    /// The square root of an expression.
    Root(&'static Expression),
}

/// How tightly an expression binds, from a sum to a single symbol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Sum,
    Quotient,
    Product,
    Power,
    Atom,
}

impl Expression {
    /// The value; `None` if the value of a symbol is unknown.
    pub fn evaluate(&self, values: &Values) -> Option<f64> {
        Some(match self {
            Self::Number(number) => *number,
            Self::Symbol(name) => values.get(name)?,
            Self::Term(factor, name) => factor * values.get(name)?,
            Self::Sum(terms) => terms.iter().map(|term| term.evaluate(values)).sum::<Option<f64>>()?,
            Self::Difference([from, what]) => from.evaluate(values)? - what.evaluate(values)?,
            Self::Product(factors) => factors.iter().map(|factor| factor.evaluate(values)).product::<Option<f64>>()?,
            Self::Quotient([above, below]) => above.evaluate(values)? / below.evaluate(values)?,
            Self::Square(of) => of.evaluate(values)?.powi(2),
            Self::Cube(of) => of.evaluate(values)?.powi(3),
            Self::Root(of) => of.evaluate(values)?.sqrt(),
        })
    }

    /// Names of all symbols, in the order of their first occurrence.
    pub fn symbols(&self) -> Vec<&'static str> {
        let mut found = Vec::new();
        self.collect(&mut found);
        found
    }

    fn collect(&self, found: &mut Vec<&'static str>) {
        match self {
            Self::Number(_) => {}
            Self::Symbol(name) | Self::Term(_, name) => {
                if !found.contains(name) {
                    found.push(name);
                }
            }
            Self::Sum(parts) | Self::Product(parts) => parts.iter().for_each(|part| part.collect(found)),
            Self::Difference(parts) | Self::Quotient(parts) => parts.iter().for_each(|part| part.collect(found)),
            Self::Square(of) | Self::Cube(of) | Self::Root(of) => of.collect(found),
        }
    }

    /// The expression with its symbols: "16 n + 8 m³".
    pub fn written(&self) -> String {
        self.text(Binding::Sum, &|name| name.to_owned(), " ")
    }

    /// The expression with numbers in place of the symbols: "16 · 4,096 + 8 · 729". A symbol whose value is unknown
    /// stays.
    pub fn filled(&self, values: &Values) -> String {
        let number = |name: &str| values.get(name).map_or_else(|| name.to_owned(), Unit::plain);
        self.text(Binding::Sum, &number, " · ")
    }

    fn binding(&self) -> Binding {
        match self {
            Self::Number(_) | Self::Symbol(_) | Self::Root(_) => Binding::Atom,
            Self::Square(_) | Self::Cube(_) => Binding::Power,
            Self::Term(..) | Self::Product(_) => Binding::Product,
            Self::Quotient(_) => Binding::Quotient,
            Self::Sum(_) | Self::Difference(_) => Binding::Sum,
        }
    }

    /// The text, in parentheses if the expression binds less tightly than its place requires.
    fn text(&self, place: Binding, name: &dyn Fn(&str) -> String, times: &str) -> String {
        let join = |parts: &[Self], place: Binding, sign: &str| {
            parts.iter().map(|part| part.text(place, name, times)).collect::<Vec<_>>().join(sign)
        };
        let raised = |of: &Self, exponent: &str| {
            let base = of.text(Binding::Atom, name, times);
            // A symbol that carries an exponent already, such as m³, needs parentheses.
            let has_exponent = base.ends_with(['²', '³']);
            if has_exponent { format!("({base}){exponent}") } else { format!("{base}{exponent}") }
        };
        let text = match self {
            Self::Number(number) => Unit::plain(*number),
            Self::Symbol(symbol) => name(symbol),
            Self::Term(factor, symbol) => format!("{}{times}{}", Unit::plain(*factor), name(symbol)),
            Self::Sum(terms) => join(terms, Binding::Sum, " + "),
            Self::Difference([from, what]) => {
                format!("{} − {}", from.text(Binding::Sum, name, times), what.text(Binding::Quotient, name, times))
            }
            Self::Product(factors) => join(factors, Binding::Product, times),
            Self::Quotient([above, below]) => {
                format!("{} / {}", above.text(Binding::Product, name, times), below.text(Binding::Power, name, times))
            }
            Self::Square(of) => raised(of, "²"),
            Self::Cube(of) => raised(of, "³"),
            Self::Root(of) => format!("√({})", of.text(Binding::Sum, name, times)),
        };
        if self.binding() < place { format!("({text})") } else { text }
    }
}

#[cfg(test)]
mod tests {
    use super::Expression::{Cube, Difference, Number, Product, Quotient, Root, Square, Sum, Symbol, Term};
    use super::*;

    fn values() -> Values {
        [("n", 4_096.0), ("m³", 729.0), ("e", 0.5), ("r", 0.25)].into_iter().collect()
    }

    #[test]
    fn a_sum_is_evaluated_and_written_with_symbols_and_with_numbers() {
        let memory = Sum(&[Term(16.0, "n"), Term(8.0, "m³"), Number(4.0)]);
        assert_eq!(memory.evaluate(&values()), Some(16.0 * 4_096.0 + 8.0 * 729.0 + 4.0));
        assert_eq!(memory.written(), "16 n + 8 m³ + 4");
        assert_eq!(memory.filled(&values()), "16 · 4,096 + 8 · 729 + 4");
        assert_eq!(memory.symbols(), ["n", "m³"]);
    }

    #[test]
    fn parentheses_stand_where_an_expression_binds_less_tightly_than_its_place() {
        let cube = Cube(&Sum(&[Symbol("e"), Term(2.0, "r")]));
        assert_eq!((cube.written(), cube.evaluate(&values())), ("(e + 2 r)³".into(), Some(1.0)));
        let pairs = Product(&[Symbol("n"), Difference(&[Symbol("n"), Number(1.0)])]);
        assert_eq!((pairs.written(), pairs.evaluate(&values())), ("n (n − 1)".into(), Some(4_096.0 * 4_095.0)));
        let nested = Quotient(&[Symbol("n"), Quotient(&[Symbol("e"), Symbol("r")])]);
        assert_eq!((nested.written(), nested.evaluate(&values())), ("n / (e / r)".into(), Some(2_048.0)));
        let minus = Difference(&[Symbol("n"), Sum(&[Symbol("e"), Symbol("r")])]);
        assert_eq!(minus.written(), "n − (e + r)");
        let product = Quotient(&[Product(&[Number(3.0), Cube(&Symbol("e"))]), Term(4.0, "r")]);
        assert_eq!(product.written(), "3 e³ / (4 r)");
        assert_eq!(Square(&Symbol("m³")).written(), "(m³)²");
        assert_eq!(Root(&Sum(&[Symbol("e"), Symbol("r")])).written(), "√(e + r)");
    }

    #[test]
    fn an_unknown_symbol_has_no_value_and_keeps_its_name() {
        let tests = Product(&[Symbol("n"), Symbol("c")]);
        assert_eq!(tests.evaluate(&values()), None);
        assert_eq!(tests.filled(&values()), "4,096 · c");
    }
}
