// Maps a node over lists: computes the inputs of each item and gathers the items' results into lists.
import type { OutputDef } from '../graph/catalog.ts';
import type { PlanNode } from '../graph/plan.ts';
import type { JsonObject, Value, Values } from '../graph/types.ts';
import { formatPortName } from '../graph/values.ts';
import { NodeError } from '../nodes/define.ts';
import type { PortValues } from './inputs.ts';

/** The maximum number of items of one mapped node. */
const MAX_ITEMS = 100;

interface MappedList {
  readonly port: string;
  readonly name: string;
  readonly items: readonly Value[];
}

/**
 * Splits the port values into one set per item if a list arrived at a single-value port; otherwise returns undefined.
 * Lists are zipped, and a list with one item is used for every item. With `fanOut: "product"` in the settings, every
 * combination is an item, and the last list varies fastest. Throws a NodeError if the lengths differ or there are too
 * many items.
 */
export function splitIntoItems(
  node: PlanNode,
  settings: JsonObject,
  portValues: PortValues,
): readonly PortValues[] | undefined {
  const lists = findMappedLists(node, portValues);
  if (lists.length === 0) return undefined;
  const isProduct = settings.fanOut === 'product';
  const count = isProduct ? countCombinations(lists) : getZippedLength(lists);
  if (count > MAX_ITEMS) {
    throw new NodeError(
      'too_many_items',
      `The lists result in ${count} items, but a node can run for at most ${MAX_ITEMS}. Shorten the lists.`,
    );
  }
  return Array.from({ length: count }, (_, index) => {
    const itemValues = new Map(portValues);
    for (const [listIndex, { port, items }] of lists.entries()) {
      const position = isProduct ? Math.floor(index / countCombinations(lists.slice(listIndex + 1))) : index;
      itemValues.set(port, items[position % items.length] as Value);
    }
    return itemValues;
  });
}

/** Returns one list per port, in item order. Items without a value at the port are left out of its list. */
export function gatherItems(results: readonly Values[], outputDefs: readonly OutputDef[]): Values {
  const lists = outputDefs.map(({ id }): [string, Value] => {
    const items = results.flatMap(outputs => (Object.hasOwn(outputs, id) ? (outputs[id] ?? []) : []));
    return [id, { type: 'LIST', items }];
  });
  return Object.fromEntries(lists);
}

function findMappedLists(node: PlanNode, portValues: PortValues): readonly MappedList[] {
  const lists: MappedList[] = [];
  for (const [port, value] of portValues) {
    if (value.type !== 'LIST') continue;
    const def = node.inputDefs.find(candidate => candidate.id === port && candidate.isPort);
    if (def === undefined || def.type === 'LIST' || def.type === 'ANY') continue;
    lists.push({ port, name: formatPortName(def), items: value.items });
  }
  return lists;
}

function countCombinations(lists: readonly MappedList[]): number {
  return lists.reduce((product, { items }) => product * items.length, 1);
}

function getZippedLength(lists: readonly MappedList[]): number {
  const zippedLists = lists.filter(({ items }) => items.length !== 1);
  const count = zippedLists[0]?.items.length ?? 1;
  if (zippedLists.every(({ items }) => items.length === count)) return count;
  const lengths = zippedLists.map(({ name, items }) => `${name} has ${items.length}`).join(', ');
  throw new NodeError(
    'unequal_lists',
    `The lists differ in length: ${lengths}. Give them the same length, or one item.`,
  );
}
