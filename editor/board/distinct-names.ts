// Gives inputs distinct names before a board is saved. Two people may add inputs with the same name at the same time, and
// undo may restore an input whose name another one has now. The service refuses such a board.
import { createNameTaker, getInputNames, isInputName, isNamedInput } from '../../src/graph/input-names.ts';
import type { Board } from './board.ts';

/** Returns the board, in which inputs of the saved board keep their names, and others with these names get a number. */
export function withDistinctNames(board: Board, saved: Board): Board {
  const savedNames = new Map(saved.nodes.map(({ id, data: { name } }) => [id, name]));
  const inputs = board.nodes.filter(node => isNamedInput(node) && isInputName(node.data.name));
  const [kept, others] = [true, false].map(isKept =>
    inputs.filter(({ id, data: { name } }) => (savedNames.get(id) === name) === isKept),
  );
  const ownersByName = new Map<unknown, string>();
  for (const { id, data } of [...(kept ?? []), ...(others ?? [])])
    if (!ownersByName.has(data.name)) ownersByName.set(data.name, id);
  const repeated = new Set(inputs.filter(({ id, data }) => ownersByName.get(data.name) !== id));
  if (repeated.size === 0) return board;
  const take = createNameTaker(new Set(getInputNames(board.nodes).values()));
  const nodes = board.nodes.map(node =>
    repeated.has(node) ? { ...node, data: { ...node.data, name: take(String(node.data.name)) } } : node,
  );
  return { ...board, nodes };
}
