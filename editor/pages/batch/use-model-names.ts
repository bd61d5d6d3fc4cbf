// Reads the labels of models for the values of a batch that varies them.
import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../lib/queries.ts';
import { MODEL_FIELD, type ModelNames } from './axes.ts';

const NO_NAMES: ModelNames = new Map();

/** `fields` are the names of the config fields that vary. */
export function useModelNames(fields: readonly (string | null)[]): ModelNames {
  const { data } = useQuery({
    ...apiQuery(['/nodes'], { includeHidden: 1 }),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: fields.includes(MODEL_FIELD),
    select: toNames,
  });
  return data ?? NO_NAMES;
}

const toNames = ({
  nodes,
}: {
  readonly nodes: readonly { readonly nodeType: string; readonly label: string }[];
}): ModelNames => new Map(nodes.map(({ nodeType, label }) => [nodeType, label]));
