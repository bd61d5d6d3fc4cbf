// Finds the nodes of a directed graph that lie on a cycle: Tarjan's strongly connected components, without recursion.

/**
 * Returns the cycles as ascending lists of node indexes. A cycle is a component of more than one node, or a node that
 * feeds itself. `targets[i]` lists the nodes that node i feeds.
 */
export function findCycles(targets: readonly (readonly number[])[]): number[][] {
  const count = targets.length;
  const order = new Int32Array(count).fill(-1);
  const low = new Int32Array(count);
  const nextEdge = new Int32Array(count);
  const onStack = new Uint8Array(count);
  const stack: number[] = [];
  const cycles: number[][] = [];
  let visitedCount = 0;

  const enter = (node: number, path: number[]): void => {
    order[node] = low[node] = visitedCount++;
    onStack[node] = 1;
    stack.push(node);
    path.push(node);
  };
  const leave = (node: number): void => {
    if (low[node] !== order[node]) return;
    const members = stack.splice(stack.lastIndexOf(node));
    for (const member of members) onStack[member] = 0;
    if (members.length > 1 || targets[node]?.includes(node)) cycles.push(members.sort((a, b) => a - b));
  };

  for (let root = 0; root < count; root++) {
    if (order[root] !== -1) continue;
    const path: number[] = [];
    enter(root, path);
    for (let node = path.at(-1); node !== undefined; node = path.at(-1)) {
      const edge = nextEdge[node] ?? 0;
      nextEdge[node] = edge + 1;
      const target = targets[node]?.[edge];
      if (target === undefined) {
        leave(node);
        path.pop();
        const parent = path.at(-1);
        if (parent !== undefined) low[parent] = Math.min(low[parent] ?? 0, low[node] ?? 0);
      } else if (order[target] === -1) enter(target, path);
      else if (onStack[target]) low[node] = Math.min(low[node] ?? 0, order[target] ?? 0);
    }
  }
  return cycles;
}
