// Names input nodes for requests: by `data.name`, or else by a name made from the label.
import { takesInput } from './input-values.ts';
import { COMPONENT, type GraphNode } from './types.ts';

export const MAX_NAME_LENGTH = 64;
const NAME = new RegExp(`^[A-Za-z0-9_]{1,${MAX_NAME_LENGTH}}$`);
/** What a valid name is, for messages. */
export const NAME_RULE = `1 to ${MAX_NAME_LENGTH} letters (A to Z), digits and _`;
/** Names made from labels are shorter, so that a number fits. */
const MAX_BASE_LENGTH = 50;
/** This many inputs are named by their labels, and further ones by their types, because requests wait for the names. */
const MAX_LABELS = 2000;
/** Longer labels are cut before a name is made of them. */
const MAX_LABEL_LENGTH = 60;

export const isInputName = (name: unknown): name is string => typeof name === 'string' && NAME.test(name);

/** The members of a node that its name depends on. */
export type NamedNode = Pick<GraphNode, 'id' | 'data' | typeof COMPONENT>;

/** Returns whether a run can set the node by a name. A run sets the inputs inside components by their paths only. */
export const isNamedInput = (node: NamedNode): boolean =>
  takesInput(node.data.nodeType) && node[COMPONENT] === undefined;

/** Returns the name made from a label: `Bild für Dich` → `bild_fur_dich`. Other scripts than Latin are left out. */
function toInputName({ label, nodeType }: GraphNode['data']): string {
  const text = label.slice(0, MAX_LABEL_LENGTH);
  const base = (isAscii(text) ? text : toAscii(text))
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_/, '')
    .slice(0, MAX_BASE_LENGTH)
    .replace(/_$/, '');
  return base === '' ? toTypeName({ nodeType }) : base;
}

const toTypeName = ({ nodeType }: Pick<GraphNode['data'], 'nodeType'>): string =>
  nodeType.slice(nodeType.indexOf(':') + 1);

const isAscii = (text: string): boolean => /^\p{ASCII}*$/u.test(text);

// Characters of other scripts may become many when they are normalized.
const toAscii = (text: string): string =>
  text
    .replace(/[^\p{Script=Latin}\p{M}\p{ASCII}]+/gu, ' ')
    .normalize('NFD')
    .replace(/\p{M}+/gu, '');

/** Returns a function that adds a number to names that are taken. The names that it returns are taken from then on. */
export function createNameTaker(taken: Set<string>): (base: string) => string {
  const counts = new Map<string, number>();
  return base => {
    let count = counts.get(base) ?? 1;
    let name = base;
    while (taken.has(name)) name = `${base}_${++count}`;
    counts.set(base, count);
    taken.add(name);
    return name;
  };
}

/** Returns the name of each input node by its id. Names are unique, and none is the id of another input node. */
export function getInputNames(nodes: readonly NamedNode[]): ReadonlyMap<string, string> {
  const known = namesByNodes.get(nodes);
  if (known !== undefined) return known;
  const names = computeNames(nodes);
  namesByNodes.set(nodes, names);
  return names;
}

// The versions of a workflow are kept, and each request of an app needs the names.
const namesByNodes = new WeakMap<readonly NamedNode[], ReadonlyMap<string, string>>();

function computeNames(nodes: readonly NamedNode[]): ReadonlyMap<string, string> {
  const inputs = nodes.filter(isNamedInput);
  const taken = new Set(inputs.map(({ id }) => id));
  const explicitNames = inputs.map(({ id, data: { name } }) => {
    if (!isInputName(name) || (taken.has(name) && name !== id)) return undefined;
    taken.add(name);
    return name;
  });
  const take = createNameTaker(taken);
  return new Map(
    inputs.map(({ id, data }, index) => {
      const name = explicitNames[index] ?? (index < MAX_LABELS ? toInputName(data) : toTypeName(data));
      return [id, explicitNames[index] !== undefined || name === id ? name : take(name)];
    }),
  );
}

/**
 * Returns the nodes with an explicit name for each input, so that its label can change. A name that one of the other
 * nodes has gets a number.
 */
export function withInputNames<Node extends NamedNode>(
  nodes: readonly Node[],
  others: readonly NamedNode[] = [],
): readonly Node[] {
  if (!nodes.some(isNamedInput)) return nodes;
  const otherNames = getInputNames(others);
  const ids = [...nodes.filter(isNamedInput).map(({ id }) => id), ...otherNames.keys()];
  const taken = new Set([...ids, ...otherNames.values()]);
  const take = createNameTaker(taken);
  return nodes.map(node => {
    if (!isNamedInput(node)) return node;
    const base = isInputName(node.data.name) ? node.data.name : toInputName(node.data);
    const name = base === node.id && !otherNames.has(node.id) ? base : take(base);
    return name === node.data.name ? node : { ...node, data: { ...node.data, name } };
  });
}

/** Returns the data with the label. An input keeps its name. */
export function withLabel(
  nodes: readonly NamedNode[],
  { id, data }: NamedNode,
  label: string,
): GraphNode['data'] {
  const name = getInputNames(nodes).get(id);
  return { ...data, label, ...(name === undefined ? {} : { name }) };
}

/** Returns a function that returns the id of the input node with this id or name, or undefined. */
export function indexInputs(nodes: readonly NamedNode[]): (key: string) => string | undefined {
  const ids = new Set(nodes.filter(({ data }) => takesInput(data.nodeType)).map(({ id }) => id));
  let idsByName: ReadonlyMap<string, string> | undefined;
  return key => {
    if (ids.has(key)) return key;
    idsByName ??= new Map(Array.from(getInputNames(nodes), ([id, name]) => [name, id]));
    return idsByName.get(key);
  };
}
