// Lists the workflows that the board can call as components, for the palette and the library.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { COMPONENT_CALL } from '../../../../src/graph/components/calls.ts';
import { api } from '../../../lib/api.ts';
import { useDebounced } from '../../../lib/use-debounced.ts';
import { useEditor } from '../../../session/editor-context.tsx';
import type { PaletteEntry } from '../add-node/add-node.tsx';

const TYPING_MS = 200;
const MAX_LISTED = 50;

/**
 * Returns palette entries for workflows of the user and of this workflow's team. With a text, finds workflows by name,
 * description or tag. Without a text, lists workflows that are already used as components. Leaves out workflows that call
 * this workflow.
 */
export function useComponents(text: string): readonly PaletteEntry[] {
  const { id, catalog, saver } = useEditor().session;
  const { teamId = null } = saver.base.info;
  const query = useDebounced(text.trim(), TYPING_MS);
  const { data = [] } = useQuery({
    queryKey: ['/workflows', 'components', id, teamId, query],
    queryFn: async ({ signal }) => {
      const filter = query === '' ? { isComponent: true } : { query };
      const lists = await Promise.all(
        [{}, ...(teamId === null ? [] : [{ teamId }])].map(owner =>
          api.get('/workflows', {
            query: { ...filter, ...owner, callableFrom: id, include: 'card', limit: MAX_LISTED },
            signal,
          }),
        ),
      );
      return [...new Map(lists.flat().map(workflow => [workflow.id, workflow])).values()];
    },
    placeholderData: keepPreviousData,
  });
  const entry = catalog.find(COMPONENT_CALL);
  if (entry === undefined) return [];
  return data.map(({ id: workflowId, name, description, poster }) => ({
    ...entry,
    nodeType: `${COMPONENT_CALL} ${workflowId}`,
    label: name,
    category: 'component',
    description: description ?? '',
    component: { workflowId, poster: poster ?? undefined },
  }));
}
