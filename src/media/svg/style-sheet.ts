// Reads the style sheets of an SVG, so that their declarations can become those of elements. Knows selectors of names,
// classes and ids, such as `.st0`, `path.st0` and `*`, with their specificity (W3C Selectors Level 4, §17).
import { type Declaration, parse, type Rule as SheetRule } from 'postcss';
import { AppError } from '../../lib/errors.ts';

/** What selectors match. */
export interface StyledElement {
  readonly name: string;
  readonly classes: readonly string[];
  readonly id: string | undefined;
}

interface Rule {
  readonly selector: StyledElement;
  /** By its specificity, and then by its place in the sheet. */
  readonly rank: number;
  /** The declarations, as the text of a style attribute. */
  readonly text: string;
}

const IDENTIFIER = String.raw`[\p{L}_][\p{L}\p{N}_-]*`;
/** One compound selector, without attributes and pseudo-classes. */
const SELECTOR = new RegExp(`^(\\*|${IDENTIFIER})?((?:[.#]${IDENTIFIER})*)$`, 'u');
/** At-rules that change nothing that is drawn. */
const HARMLESS: ReadonlySet<string> = new Set(['charset', 'font-face', 'namespace']);
const MAX_COMPARISONS = 1_000_000;
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

  constructor(css: string) {
    for (const node of parse(css).nodes) {
      if (node.type === 'rule') this.#addRule(node);
      else if (node.type === 'atrule' && !HARMLESS.has(node.name.toLowerCase()))
        this.#skipped.add(`@${node.name}`);
    }
  }

  /** The selectors and at-rules that were not understood. */
  get skipped(): readonly string[] {
    return [...this.#skipped];
  }

  /**
   * Returns the declarations of the element as the text of a style attribute, in the order in which later ones win. Throws
   * `svg_too_complex` after a million comparisons.
   */
  find({ name, classes, id }: StyledElement): string {
    const keys = ['*', name, ...classes.map(each => `.${each}`), `#${id}`];
    const candidates = keys.flatMap(key => this.#rules.get(key) ?? []);
    this.#comparisons += candidates.length;
    if (this.#comparisons > MAX_COMPARISONS)
      throw new AppError('svg_too_complex', 'The style sheet of the SVG has too many rules.');
    return candidates
      .filter(
        ({ selector }) =>
          (selector.name === '*' || selector.name === name) &&
          (selector.id === undefined || selector.id === id) &&
          selector.classes.every(each => classes.includes(each)),
      )
      .sort((a, b) => a.rank - b.rank)
      .map(({ text }) => text)
      .join(';');
  }

  #addRule({ selectors, nodes }: SheetRule): void {
    const isDeclaration = (node: (typeof nodes)[number]): node is Declaration => node.type === 'decl';
    const text = nodes
      .filter(isDeclaration)
      .map(({ prop, value }) => `${prop}:${value}`)
      .join(';');
    for (const selectorText of selectors) {
      const selector = parseSelector(selectorText);
      if (selector !== undefined) this.#add(selector, text);
      else if (this.#skipped.size < MAX_SKIPPED) this.#skipped.add(selectorText);
    }
  }

  #add(selector: StyledElement, text: string): void {
    const { name, classes, id } = selector;
    const [firstClass] = classes;
    const key = id !== undefined ? `#${id}` : firstClass !== undefined ? `.${firstClass}` : name;
    const specificity =
      (id === undefined ? 0 : ID_WEIGHT) + classes.length * CLASS_WEIGHT + (name === '*' ? 0 : 1);
    const rules = this.#rules.get(key) ?? [];
    rules.push({ selector, rank: specificity * MAX_RULES + this.#ruleCount++, text });
    this.#rules.set(key, rules);
  }
}

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
