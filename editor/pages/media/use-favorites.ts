// Marks files as favorites. The page shows the mark immediately.
import { type InfiniteData, useQueryClient } from '@tanstack/react-query';
import type { MediaItem } from '../../../sdk/src/schemas.ts';
import { showError } from '../../kit/failure.tsx';
import { api, type ListPage } from '../../lib/api.ts';

export function useFavorites(): (mediaIds: readonly string[], isFavorite: boolean) => void {
  const client = useQueryClient();
  return (mediaIds, isFavorite) => {
    const marked = new Set(mediaIds);
    client.setQueriesData<InfiniteData<ListPage<MediaItem>>>(
      { queryKey: ['/media', 'pages'] },
      data =>
        data && {
          ...data,
          pages: data.pages.map(page => ({
            ...page,
            items: page.items.map(item => (marked.has(item.mediaId) ? { ...item, isFavorite } : item)),
          })),
        },
    );
    void api
      .patch('/media', { mediaIds, isFavorite })
      .catch(showError)
      .finally(() => client.invalidateQueries({ queryKey: ['/media'] }));
  };
}
