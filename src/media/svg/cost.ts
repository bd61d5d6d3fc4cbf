// Limits the cost of drawing an SVG. References repeat their targets, so a small file can contain billions of shapes, or
// nesting that overflows a renderer's stack.
import { AppError } from '../../lib/errors.ts';

export interface SvgElement {
  readonly name: string;
  /** Printed attributes, each with a leading space. */
  attributes: string;
  /** The declarations of its style attribute. */
  style: string;
  /** Ids that the attributes refer to. */
  readonly targets: string[];
  readonly children: SvgElement[];
}

const MAX_DRAWN = 100_000;
const MAX_DRAWN_DEPTH = 128;
const GRADIENTS: ReadonlySet<string> = new Set(['linearGradient', 'radialGradient']);

interface Cost {
  /** Number of elements, each counted as often as it is drawn. */
  readonly elements: number;
  readonly depth: number;
}

/**
 * Walks the elements like a renderer, also through everything that `use`, masks and clips refer to, but visits each element
 * once. Throws `svg_too_complex` if a limit is exceeded. A cycle exceeds the depth limit.
 */
export function requireWithinDrawingLimits(root: SvgElement, byId: ReadonlyMap<string, SvgElement>): void {
  const costs = new Map<SvgElement, Cost>();
  const computeCost = (element: SvgElement, level: number): Cost => {
    const knownCost = costs.get(element);
    if (level + (knownCost?.depth ?? 1) > MAX_DRAWN_DEPTH)
      throw createError('its references are nested too deeply or form a cycle');
    if (knownCost !== undefined) return knownCost;
    let elements = 1;
    let depth = 0;
    const add = (part: SvgElement): void => {
      const cost = isSimple(part) ? SIMPLE_COST : computeCost(part, level + 1);
      elements += cost.elements;
      depth = Math.max(depth, cost.depth);
      if (elements > MAX_DRAWN) throw createError(`its references repeat more than ${MAX_DRAWN} elements`);
    };
    // The stops of a gradient are read once, no matter how many shapes use the gradient.
    if (!GRADIENTS.has(element.name)) for (const child of element.children) add(child);
    for (const target of element.targets) {
      const referenced = byId.get(target);
      if (referenced !== undefined) add(referenced);
    }
    const cost = { elements, depth: depth + 1 };
    costs.set(element, cost);
    return cost;
  };
  computeCost(root, 0);
}

const SIMPLE_COST: Cost = { elements: 1, depth: 1 };

/** Returns whether the element has no children or references. Its cost is neither computed nor cached. */
function isSimple({ children, targets }: SvgElement): boolean {
  return children.length === 0 && targets.length === 0;
}

function createError(reason: string): AppError {
  return new AppError('svg_too_complex', `The SVG is too complex to draw: ${reason}.`);
}
