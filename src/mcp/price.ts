// Estimates the price of a graph, or says why there is none.
import { AppError, type Issue } from '../lib/errors.ts';
import { estimateGraph, type GraphPrice, type GraphToPrice } from '../runs/estimate/estimate-graph.ts';
import type { Caller } from './caller.ts';

export interface FoundPrice {
  readonly price: GraphPrice | undefined;
  /** Why it cannot run. */
  readonly issues: readonly Issue[];
}

/** What a run would reserve. A graph or inputs that cannot start a run give issues, not an error. */
export async function findPrice({ deps, actor }: Caller, graph: GraphToPrice): Promise<FoundPrice> {
  try {
    const price = await estimateGraph(deps, actor, graph);
    return { price, issues: price.issues };
  } catch (err) {
    if (!(err instanceof AppError) || err.status >= 500) throw err;
    return { price: undefined, issues: err.issues ?? [{ code: err.code, message: err.message }] };
  }
}
