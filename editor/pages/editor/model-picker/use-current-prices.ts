// Reads what models cost with the settings of the node whose model they would replace.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { CatalogEntry } from '../../../../src/graph/catalog.ts';
import type { GraphNode } from '../../../../src/graph/types.ts';
import type { OpenBoard } from '../../../board/open-board.ts';
import { replaceType } from '../../../board/replace-type.ts';
import { api } from '../../../lib/api.ts';

/** One request has at most this many models and characters; the others keep their price for default settings. */
const MAX_MODELS = 500;
const MAX_CHARACTERS = 400_000;

/** Returns the models with their prices for the node's settings, as soon as the service has computed them. */
export function useCurrentPrices(
  session: OpenBoard,
  node: GraphNode | undefined,
  models: readonly CatalogEntry[],
): readonly CatalogEntry[] {
  const { data } = useQuery({
    queryKey: ['/models/prices', node?.id, node?.data.nodeType, node?.data.config],
    queryFn: async ({ signal }) => {
      const body = { models: node === undefined ? [] : toPricedModels(session, node, models) };
      if (body.models.length === 0) return new Map<string, number | null>();
      const { prices } = await api.post('/models/prices', body, { signal, repeatable: true });
      return new Map(prices.map(({ nodeType, credits }) => [nodeType, credits]));
    },
    gcTime: 0,
  });
  return useMemo(
    () => (data === undefined ? models : models.map(model => withPrice(model, data))),
    [models, data],
  );
}

function withPrice(model: CatalogEntry, prices: ReadonlyMap<string, number | null>): CatalogEntry {
  const credits = prices.get(model.nodeType);
  return credits === undefined ? model : { ...model, estimatedCredits: credits };
}

function toPricedModels(
  { store, catalog }: OpenBoard,
  node: GraphNode,
  models: readonly CatalogEntry[],
): readonly object[] {
  const { board } = store.getState();
  let characters = 0;
  return models
    .filter(({ executionCost }) => executionCost === 'paid')
    .slice(0, MAX_MODELS)
    .map(entry => ({ nodeType: entry.nodeType, config: replaceType(board, catalog, node, entry).config }))
    .filter(model => {
      characters += JSON.stringify(model).length;
      return characters <= MAX_CHARACTERS;
    });
}
