// Reads the collections of the workspace.
import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../lib/queries.ts';

/** The collections that pages show. More are found with the API. */
const MAX_SHOWN = 200;

export const useCollections = () => useQuery(apiQuery(['/collections'], { limit: MAX_SHOWN }));
