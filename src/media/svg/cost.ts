// Bounds the cost of drawing an SVG: references repeat their targets, so a small file can ask for billions of shapes,
// or for nesting that overflows a renderer's stack.
import { AppError } from '../../lib/errors.ts';

export interface SvgElement {
  readonly name: string;
  /** Printed attributes, each with a leading space. */
  attributes: string;
  /** Ids that its attributes refer to. */
  readonly targets: string[];
  readonly children: SvgElement[];
}

const MAX_DRAWN = 100_000;
const MAX_DRAWN_DEPTH = 128;
const GRADIENTS: ReadonlySet<string> = new Set(['linearGradient', 'radialGradient']);

interface Cost {
  /** Number of elements drawn, counted each time a reference repeats them. */
  readonly drawn: number;
  readonly depth: number;
}

/**
 * Walks the elements like a renderer, through everything that `use`, masks and clips refer to, each element once.
 * Throws `svg_too_complex` if it is too much or endless: a cycle is a path deeper than any limit.
 */
export function checkDrawingCost(root: SvgElement, byId: ReadonlyMap<string, SvgElement>): void {
  const known = new Map<SvgElement, Cost>();
  const costOf = (element: SvgElement, level: number): Cost => {
    const before = known.get(element);
    if (level + (before?.depth ?? 1) > MAX_DRAWN_DEPTH)
      throw tooComplex('its references are nested too deep or form a circle');
    if (before !== undefined) return before;
    let drawn = 1;
    let depth = 0;
    const add = (part: SvgElement): void => {
      const cost = isSimple(part) ? SIMPLE : costOf(part, level + 1);
      drawn += cost.drawn;
      depth = Math.max(depth, cost.depth);
      if (drawn > MAX_DRAWN) throw tooComplex(`its references repeat more than ${MAX_DRAWN} elements`);
    };
    // The stops of a gradient are read once, whatever is painted with it.
    if (!GRADIENTS.has(element.name)) for (const child of element.children) add(child);
    for (const target of element.targets) {
      const found = byId.get(target);
      if (found !== undefined) add(found);
    }
    const cost = { drawn, depth: depth + 1 };
    known.set(element, cost);
    return cost;
  };
  costOf(root, 0);
}

const SIMPLE: Cost = { drawn: 1, depth: 1 };

/** The common case: a shape without references is counted without being visited or cached. */
function isSimple({ children, targets }: SvgElement): boolean {
  return children.length === 0 && targets.length === 0;
}

function tooComplex(reason: string): AppError {
  return new AppError('svg_too_complex', `The SVG is too complex to draw: ${reason}.`);
}
