// Prices models for given settings, so that they can be compared before one is chosen.
import { yieldTurn } from '../../lib/yield-turn.ts';
import { toCredits } from '../../nodes/models/pricing.ts';
import { type Actor, requireScope } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';

export interface ModelToPrice {
  readonly nodeType: string;
  readonly config?: object;
}

/** Returns the price of a call of each model with its settings, or null where it is not known in advance. */
export async function priceModels(
  { findNode }: Pick<Deps, 'findNode'>,
  actor: Actor,
  { models }: { readonly models: readonly ModelToPrice[] },
): Promise<{ readonly prices: readonly { readonly nodeType: string; readonly credits: number | null }[] }> {
  requireScope(actor, 'workflows:read');
  const prices = [];
  for (const { nodeType, config } of models) {
    await yieldTurn();
    prices.push({ nodeType, credits: priceModel(findNode(nodeType), config) });
  }
  return { prices };
}

function priceModel(definition: ReturnType<Deps['findNode']>, config: ModelToPrice['config']): number | null {
  if (definition === undefined) return null;
  const { entry, pricing } = definition;
  if (pricing === undefined) return 0;
  const fields = entry.inputs.filter(({ default: value }) => value !== undefined);
  const defaults = Object.fromEntries(fields.map(({ id, default: value }) => [id, value]));
  const usd = pricing.usd({ ...defaults, ...config });
  return usd === null || !Number.isFinite(usd) ? null : toCredits(usd);
}
