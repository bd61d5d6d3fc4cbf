// Estimates the price of a graph.
import { AppError, type Issue } from '../lib/errors.ts';
import { estimateGraph, type GraphPrice, type GraphToPrice } from '../runs/estimate/estimate-graph.ts';
import type { Caller } from './caller.ts';

export interface PriceResult {
  readonly price: GraphPrice | undefined;
  /** Why the graph cannot run. */
  readonly issues: readonly Issue[];
}

/**
 * Returns the credits that a run would reserve. If the graph or its inputs cannot start a run, returns issues instead
 * of throwing.
 */
export async function findPrice({ deps, actor }: Caller, graph: GraphToPrice): Promise<PriceResult> {
  try {
    const price = await estimateGraph(deps, actor, graph);
    return { price, issues: price.issues };
  } catch (err) {
    if (!(err instanceof AppError) || err.status >= 500) throw err;
    return { price: undefined, issues: err.issues ?? [{ code: err.code, message: err.message }] };
  }
}
