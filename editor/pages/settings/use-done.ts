// What follows a change: the lists that it meets are read anew, and a notice says what was done.
import { useQueryClient } from '@tanstack/react-query';
import { showToast } from '../../lib/toasts.ts';

/** `paths` are the first parts of query keys. Resolves when all of them are read. */
export function useDone(): (text: string, ...paths: readonly string[]) => Promise<void> {
  const client = useQueryClient();
  return async (text, ...paths) => {
    showToast(text);
    await Promise.all(paths.map(path => client.invalidateQueries({ queryKey: [path] })));
  };
}
