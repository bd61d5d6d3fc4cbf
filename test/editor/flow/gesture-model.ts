// Models what random gestures should do to a board: plain lists, and a stack of all states for undo and redo.
import type { SentGraph } from './flow-page.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Edge {
  readonly source: string;
  readonly sourceHandle: string;
  readonly target: string;
  readonly targetHandle: string;
}

interface Node extends Point {
  readonly id: string;
}

interface State {
  /** The gesture that led to this state. */
  readonly gesture?: string;
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
}

const COLUMNS = 3;
const CELL = { width: 330, height: 280 };
/** How far a node may be from the corner of its cell. */
const MAX_OFFSET = { x: 40, y: 30 };
const NODE_COUNT = 6;

const cornerOf = (index: number): Point => ({
  x: (index % COLUMNS) * CELL.width,
  y: Math.floor(index / COLUMNS) * CELL.height,
});

/** Returns a random position in the node's cell. */
export function pickPositionInCell(id: string, random: () => number): Point {
  const { x, y } = cornerOf(Number(id.slice(1)));
  return { x: x + Math.floor(random() * MAX_OFFSET.x), y: y + Math.floor(random() * MAX_OFFSET.y) };
}

/** Creates a grid of nodes that join texts. The first is connected to the second. */
export function makeGrid(): SentGraph {
  const nodes = Array.from({ length: NODE_COUNT }, (_, index) => ({
    id: `n${index}`,
    type: 'basedNode',
    position: cornerOf(index),
    data: { label: `Node ${index}`, category: 'utility', nodeType: 'utility:prompt_concat', config: {} },
  }));
  const edges = [{ id: 'e', source: 'n0', target: 'n1', sourceHandle: 'out-text', targetHandle: 'in-text1' }];
  return { nodes, edges };
}

/** Creates a grid of text inputs. */
export function makeTexts(): SentGraph {
  const nodes = Array.from({ length: NODE_COUNT }, (_, index) => ({
    id: `n${index}`,
    type: 'basedNode',
    position: cornerOf(index),
    data: {
      label: `Text ${index}`,
      category: 'input',
      nodeType: 'input:text',
      config: { value: `first ${index}` },
    },
  }));
  return { nodes, edges: [] };
}

export class GestureModel {
  #states: State[];
  #current = 0;
  selection: ReadonlySet<string> = new Set();

  constructor({ nodes, edges }: SentGraph) {
    const initialNodes = nodes as readonly { readonly id: string; readonly position: Point }[];
    this.#states = [
      {
        nodes: initialNodes.map(({ id, position: { x, y } }) => ({ id, x, y })),
        edges: (edges as readonly Edge[]).map(({ source, sourceHandle, target, targetHandle }) => ({
          source,
          sourceHandle,
          target,
          targetHandle,
        })),
      },
    ];
  }

  get #currentState(): State {
    return this.#states[this.#current] ?? { nodes: [], edges: [] };
  }

  get ids(): readonly string[] {
    return this.#currentState.nodes.map(({ id }) => id).sort();
  }

  get undoCount(): number {
    return this.#current;
  }

  get redoCount(): number {
    return this.#states.length - 1 - this.#current;
  }

  /** The gesture that undo would revert. */
  get lastGesture(): string | undefined {
    return this.#currentState.gesture;
  }

  get shape(): { readonly nodes: readonly string[]; readonly edges: readonly string[] } {
    return {
      nodes: this.#currentState.nodes.map(({ id, x, y }) => `${id} Node ${id.slice(1)} ${x},${y}`).sort(),
      edges: this.#currentState.edges.map(toKey).sort(),
    };
  }

  positionOf(id: string): Point {
    return this.#currentState.nodes.find(node => node.id === id) ?? { x: 0, y: 0 };
  }

  select(ids: readonly string[]): void {
    this.selection = new Set(ids);
  }

  toggle(id: string): void {
    const next = new Set(this.selection);
    if (!next.delete(id)) next.add(id);
    this.select([...next]);
  }

  move(id: string, { x, y }: Point): void {
    const { nodes, edges } = this.#currentState;
    const oldPosition = this.positionOf(id);
    if (oldPosition.x === x && oldPosition.y === y) return;
    this.#step('move', { nodes: nodes.map(node => (node.id === id ? { id, x, y } : node)), edges });
  }

  nudge(dx: number): void {
    const { nodes, edges } = this.#currentState;
    const movedNodes = nodes.map(node => (this.selection.has(node.id) ? { ...node, x: node.x + dx } : node));
    this.#step('nudge', { nodes: movedNodes, edges });
  }

  /** Connects like the editor: an input accepts one edge, and no edge may close a cycle. */
  connect(edge: Edge): void {
    const { nodes, edges } = this.#currentState;
    if (this.#isReachable(edge.target, edge.source, edges) || edges.some(old => toKey(old) === toKey(edge)))
      return;
    this.#step('connect', { nodes, edges: [...edges.filter(old => !isSameInput(old, edge)), edge] });
  }

  remove(): void {
    const { nodes, edges } = this.#currentState;
    const isRemoved = (id: string): boolean => this.selection.has(id);
    this.#step('delete', {
      nodes: nodes.filter(({ id }) => !isRemoved(id)),
      edges: edges.filter(({ source, target }) => !isRemoved(source) && !isRemoved(target)),
    });
    this.selection = new Set();
  }

  /** Removes the node's edges and connects its source to its targets. */
  detach(id: string): void {
    const { nodes, edges } = this.#currentState;
    const incoming = edges.find(({ target }) => target === id);
    const outgoing = edges.filter(({ source }) => source === id);
    const remainingEdges = edges.filter(({ source, target }) => source !== id && target !== id);
    if (remainingEdges.length === edges.length) return;
    const joined = incoming === undefined ? [] : outgoing.map(edge => ({ ...edge, source: incoming.source }));
    this.#step('detach', { nodes, edges: [...remainingEdges, ...joined] });
  }

  undo(): void {
    this.#goTo(this.#current - 1);
  }

  redo(): void {
    this.#goTo(this.#current + 1);
  }

  undoAll(): void {
    this.#goTo(0);
  }

  #goTo(index: number): void {
    this.#current = index;
    const ids = new Set(this.ids);
    this.selection = new Set([...this.selection].filter(id => ids.has(id)));
  }

  #step(gesture: string, state: State): void {
    this.#states = [...this.#states.slice(0, this.#current + 1), { ...state, gesture }];
    this.#current++;
  }

  #isReachable(from: string, to: string, edges: readonly Edge[]): boolean {
    const reachable = new Set([from]);
    for (const id of reachable)
      for (const { source, target } of edges) if (source === id) reachable.add(target);
    return reachable.has(to);
  }
}

const isSameInput = (one: Edge, other: Edge): boolean =>
  one.target === other.target && one.targetHandle === other.targetHandle;

const toKey = ({ source, sourceHandle, target, targetHandle }: Edge): string =>
  `${source}.${sourceHandle} ${target}.${targetHandle}`;
