// The part of the tour about apps.
import type { TourContext } from './tour.ts';

const V1 = '/api/v1';

/** Sends requests to the operations of apps. */
export async function tourApps({ ask, graph, until }: TourContext): Promise<void> {
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
    showsGallery: true,
  };
  await ask('PUT', path, { ...body, inputs: [{ nodeId: 'town' }] });
  await ask('PUT', path, body);
  await ask('GET', path);
  await ask('POST', `${path}/embed-key`);
  await ask('GET', `${V1}/apps`);
  await tourVisit({ ask, until });
  await ask('PUT', path, { ...body, audience: 'signed_in', payer: 'visitor' });
  await ask('POST', `${V1}/apps/city-poster/estimate`, { inputs: { input_1: 'Lisbon' } });
  await ask('PUT', path, { ...body, runsPerVisitor: 1 });
  for (const input_1 of ['Porto', 'Faro'])
    await ask('POST', `${V1}/apps/city-poster/run`, { inputs: { input_1 } });
  const broken = { nodes: graph.nodes.slice(0, 1), edges: [] };
  await ask('PUT', `${V1}/workflows/${id}`, broken);
  await ask('PUT', `${V1}/workflows/${id}?breakApp=true`, broken);
  await ask('POST', `${V1}/apps/city-poster/run`, { inputs: {} });
  await ask('PUT', `${V1}/workflows/${id}`, graph);
  await ask('POST', `${V1}/workflows/${id}/versions/2/restore`);
  await ask('PUT', path, { ...body, slug: 'city-postcard' });
  await ask('GET', `${V1}/apps/city-poster`);
  await ask('DELETE', path);
  await tourUpload({ ask });
}

async function tourVisit({ ask, until }: Pick<TourContext, 'ask' | 'until'>): Promise<void> {
  const app = `${V1}/apps/city-poster`;
  await ask('GET', app);
  await ask('GET', `${app}/challenge`);
  await ask('POST', `${app}/run`, { inputs: {} });
  await ask('POST', `${app}/run`, { inputs: { input_1: 'Lisbon' } }, { who: 'nobody' });
  const started = await ask('POST', `${app}/run`, { inputs: { input_1: 'Lisbon' } });
  const run = `${app}/runs/${(started.body as unknown as { runId: string }).runId}`;
  await until(run, ({ status }) => status === 'COMPLETED');
  await ask('GET', run);
  await ask('POST', `${run}/cancel`);
  await ask('PATCH', run, { inGallery: true });
  await ask('GET', `${app}/gallery`);
}

/** Uploads a file to an app with a field for it. */
async function tourUpload({ ask }: Pick<TourContext, 'ask'>): Promise<void> {
  const node = { id: 'photo', type: 'basedNode', position: { x: 0, y: 0 } };
  const data = { label: 'Photo', category: 'input', nodeType: 'input:image' };
  const graph = { name: 'Frame', nodes: [{ ...node, data }], edges: [] };
  const { id } = (await ask('POST', `${V1}/workflows`, graph)).body;
  const body = { slug: 'frame', title: 'Frame', inputs: [{ nodeId: 'photo' }], outputs: ['photo'] };
  await ask('PUT', `${V1}/workflows/${id}/app`, body);
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>';
  const form = [
    '--b',
    'Content-Disposition: form-data; name="file"; filename="photo.svg"',
    'Content-Type: image/svg+xml',
    '',
    svg,
    '--b--',
    '',
  ].join('\r\n');
  await ask('POST', `${V1}/apps/frame/media`, form, {
    headers: { 'x-raw': 'text', 'content-type': 'multipart/form-data; boundary=b' },
  });
}

/** Runs an app whose runs cost more than a run of it may. */
export async function tourPaidApp({ ask }: Pick<TourContext, 'ask'>, workflow: string): Promise<void> {
  const body = { slug: 'paid', title: 'Fox', inputs: [], outputs: ['m'], maxCreditsPerRun: 0 };
  await ask('PUT', `${workflow}/app`, body);
  await ask('POST', `${V1}/apps/paid/run`, { inputs: {} });
}
