// Reads the style sheets of an SVG, so that their allowed declarations can become those of elements. Knows selectors of names,
// classes and ids, such as `.st0`, `path.st0` and `*`, with their specificity (W3C Selectors Level 4, §17).
import { type Declaration, parse, type Rule as SheetRule } from 'postcss';
import { AppError } from '../../lib/errors.ts';
import { cleanDeclaration } from './allowlist.ts';

/** What selectors match. */
export interface StyledElement {
  readonly name: string;
  readonly classes: readonly string[];
  readonly id: string | undefined;
}

/** Declarations, and the ids that they refer to. */
export interface Declarations {
  /** As the text of a style attribute. */
  readonly text: string;
  readonly targets: readonly string[];
}

interface Rule {
  readonly selector: StyledElement;
  /** By its specificity, and then by its place in the sheet. */
  readonly rank: number;
  readonly normal: Declarations;
  readonly important: Declarations;
}

const IDENTIFIER = String.raw`[\p{L}_][\p{L}\p{N}_-]*`;
/** One compound selector, without attributes and pseudo-classes. */
const SELECTOR = new RegExp(`^(\\*|${IDENTIFIER})?((?:[.#]${IDENTIFIER})*)$`, 'u');
/** At-rules that change nothing that is drawn. */
const HARMLESS: ReadonlySet<string> = new Set(['charset', 'font-face', 'namespace']);
const MAX_COMPARISONS = 1_000_000;
/** The size of all declarations that elements get. */
const MAX_CHARACTERS = 1_048_576;
const MAX_SKIPPED = 100;
const [ID_WEIGHT, CLASS_WEIGHT] = [10_000, 100];
/** More than a sheet of 1 MB has. */
const MAX_RULES = 1_000_000;

export class StyleSheet {
  /** The rules in order, by what an element must have: `#id`, `.class`, a name, or `*`. */
  readonly #rules = new Map<string, Rule[]>();
  readonly #skipped = new Set<string>();
  #ruleCount = 0;
  #comparisons = 0;
  #characters = 0;

  constructor(css: string) {
    for (const node of parse(css).nodes) {
      if (node.type === 'rule') this.#addRule(node);
      else if (node.type === 'atrule' && !HARMLESS.has(node.name.toLowerCase())) this.#skip(`@${node.name}`);
    }
  }

  /** The selectors and at-rules that were not understood. */
  get skipped(): readonly string[] {
    return [...this.#skipped];
  }

  /** The size of all declarations that `find` has returned. */
  get characters(): number {
    return this.#characters;
  }

  /**
   * Returns the declarations of the element in the order in which later ones win. Those of its style attribute come between
   * the normal and the important ones. Throws `svg_too_complex` after a million comparisons or characters.
   */
  find({ name, classes, id }: StyledElement): {
    readonly normal: Declarations;
    readonly important: Declarations;
  } {
    const keys = ['*', name, ...classes.map(each => `.${each}`), `#${id}`];
    const candidates = keys.flatMap(key => this.#rules.get(key) ?? []);
    this.#comparisons += candidates.length;
    if (this.#comparisons > MAX_COMPARISONS)
      throw new AppError('svg_too_complex', 'The style sheet of the SVG has too many rules.');
    const rules = candidates
      .filter(
        ({ selector }) =>
          (selector.name === '*' || selector.name === name) &&
          (selector.id === undefined || selector.id === id) &&
          selector.classes.every(each => classes.includes(each)),
      )
      .sort((a, b) => a.rank - b.rank);
    for (const { normal, important } of rules) this.#characters += normal.text.length + important.text.length;
    if (this.#characters > MAX_CHARACTERS)
      throw new AppError('svg_too_complex', 'The style sheet of the SVG repeats too much text.');
    return {
      normal: joinDeclarations(rules.map(({ normal }) => normal)),
      important: joinDeclarations(rules.map(({ important }) => important)),
    };
  }

  #skip(name: string): void {
    if (this.#skipped.size < MAX_SKIPPED) this.#skipped.add(name);
  }

  #addRule({ selectors, nodes }: SheetRule): void {
    const isDeclaration = (node: (typeof nodes)[number]): node is Declaration => node.type === 'decl';
    const declarations = nodes.filter(isDeclaration);
    const clean = (isImportant: boolean): Declarations =>
      joinDeclarations(
        declarations
          .filter(({ important }) => (important === true) === isImportant)
          .flatMap(({ prop, value }) => cleanDeclaration(prop, value) ?? []),
      );
    const [normal, important] = [clean(false), clean(true)];
    for (const selectorText of selectors) {
      const selector = parseSelector(selectorText);
      if (selector === undefined) this.#skip(selectorText);
      else if (normal.text !== '' || important.text !== '') this.#add(selector, normal, important);
    }
  }

  #add(selector: StyledElement, normal: Declarations, important: Declarations): void {
    const { name, classes, id } = selector;
    const [firstClass] = classes;
    const key = id !== undefined ? `#${id}` : firstClass !== undefined ? `.${firstClass}` : name;
    const specificity =
      (id === undefined ? 0 : ID_WEIGHT) + classes.length * CLASS_WEIGHT + (name === '*' ? 0 : 1);
    const rules = this.#rules.get(key) ?? [];
    rules.push({ selector, rank: specificity * MAX_RULES + this.#ruleCount++, normal, important });
    this.#rules.set(key, rules);
  }
}

const joinDeclarations = (parts: readonly Declarations[]): Declarations => ({
  text: parts
    .map(({ text }) => text)
    .filter(text => text !== '')
    .join(';'),
  targets: parts.flatMap(({ targets }) => targets),
});

/** Returns undefined for a selector that this file does not know. */
function parseSelector(text: string): StyledElement | undefined {
  const [, name = '*', rest] = SELECTOR.exec(text) ?? [];
  if (rest === undefined || text === '') return undefined;
  const parts = rest.match(/[.#][^.#]+/g) ?? [];
  const listOf = (sign: string): readonly string[] =>
    parts.filter(part => part.startsWith(sign)).map(part => part.slice(1));
  const [id, ...otherIds] = listOf('#');
  return otherIds.length > 0 ? undefined : { name, classes: listOf('.'), id };
}
