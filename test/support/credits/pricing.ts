// Creates prices for nodes that tests define.
import type { Pricing } from '../../../src/nodes/models/pricing.ts';

export function flat(usd: number, source: string): Pricing {
  return { model: 'flat-usd', usd: () => usd, source };
}
