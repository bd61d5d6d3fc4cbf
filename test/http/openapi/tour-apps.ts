// The part of the tour about apps.
import type { TourContext } from './tour.ts';

const V1 = '/api/v1';

/** Sends requests to the operations of apps. */
export async function tourApps({ ask, graph }: TourContext): Promise<void> {
  const { id } = (await ask('POST', `${V1}/workflows`, { name: 'City poster', ...graph })).body;
  const path = `${V1}/workflows/${id}/app`;
  await ask('GET', path);
  const body = {
    slug: 'city-poster',
    title: 'City poster',
    description: 'Writes a line about a city.',
    inputs: [{ nodeId: 'place', label: 'City', placeholder: 'Lisbon', isRequired: true }],
    outputs: ['prompt'],
    audience: 'anyone',
  };
  await ask('PUT', path, { ...body, inputs: [{ nodeId: 'town' }] });
  await ask('PUT', path, body);
  await ask('GET', path);
  await ask('POST', `${path}/embed-key`);
  await ask('GET', `${V1}/apps`);
  await ask('PUT', `${V1}/workflows/${id}`, { nodes: [], edges: [] });
  await ask('DELETE', path);
}
