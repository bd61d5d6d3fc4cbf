// Finishes a change of keys: everything that shows which models can be used is read again.
import { useQueryClient } from '@tanstack/react-query';
import { useFinishChange } from '../../../lib/finish-change.ts';

const AFFECTED = ['/credentials', '/admin/providers', '/models'] as const;

export function useFinishKeyChange(): (text: string) => Promise<void> {
  const client = useQueryClient();
  const finishChange = useFinishChange();
  return async text => {
    // The board keeps its catalog; the next board reads a new one.
    client.removeQueries({ queryKey: ['/nodes'] });
    await finishChange(text, AFFECTED);
  };
}
