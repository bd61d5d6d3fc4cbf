// Sends requests to the operations of apps.
import type { TourContext } from './tour.ts';

const V1 = '/api/v1';

export async function tourApps({ send, graph, waitFor }: TourContext): Promise<void> {
  const { id } = (await send('POST', `${V1}/workflows`, { name: 'City poster', ...graph })).body;
  const path = `${V1}/workflows/${id}/app`;
  await send('GET', path);
  const body = {
    slug: 'city-poster',
    title: 'City poster',
    description: 'Writes a line about a city.',
    inputs: [{ nodeId: 'place', label: 'City', placeholder: 'Lisbon', isRequired: true }],
    outputs: ['prompt'],
    audience: 'anyone',
    showsGallery: true,
  };
  await send('PUT', path, { ...body, inputs: [{ nodeId: 'town' }] });
  await send('PUT', path, body);
  await send('GET', path);
  await send('POST', `${path}/embed-key`);
  await send('GET', `${V1}/apps`);
  await tourAppVisit({ send, waitFor });
  await send('PUT', path, { ...body, audience: 'signed_in', payer: 'visitor' });
  await send('POST', `${V1}/apps/city-poster/estimate`, { inputs: { input_1: 'Lisbon' } });
  await send('PUT', path, { ...body, runsPerVisitor: 1 });
  for (const input_1 of ['Porto', 'Faro'])
    await send('POST', `${V1}/apps/city-poster/run`, { inputs: { input_1 } });
  const graphWithoutOutput = { nodes: graph.nodes.slice(0, 1), edges: [] };
  await send('PUT', `${V1}/workflows/${id}`, graphWithoutOutput);
  await send('PUT', `${V1}/workflows/${id}?breakApp=true`, graphWithoutOutput);
  await send('POST', `${V1}/apps/city-poster/run`, { inputs: {} });
  await send('PUT', `${V1}/workflows/${id}`, graph);
  await send('POST', `${V1}/workflows/${id}/versions/2/restore`);
  await send('PUT', path, { ...body, slug: 'city-postcard' });
  await send('GET', `${V1}/apps/city-poster`);
  await send('DELETE', path);
  await tourAppUpload({ send });
}

async function tourAppVisit({ send, waitFor }: Pick<TourContext, 'send' | 'waitFor'>): Promise<void> {
  const app = `${V1}/apps/city-poster`;
  await send('GET', app);
  await send('GET', `${app}/challenge`);
  await send('POST', `${app}/run`, { inputs: {} });
  await send('POST', `${app}/run`, { inputs: { input_1: 'Lisbon' } }, { who: 'nobody' });
  const run = await send('POST', `${app}/run`, { inputs: { input_1: 'Lisbon' } });
  const runPath = `${app}/runs/${(run.body as unknown as { runId: string }).runId}`;
  await waitFor(runPath, ({ status }) => status === 'COMPLETED');
  await send('GET', runPath);
  await send('POST', `${runPath}/cancel`);
  await send('PATCH', runPath, { inGallery: true });
  await send('GET', `${app}/gallery`);
}

/** Uploads a file to an app with a file input. */
async function tourAppUpload({ send }: Pick<TourContext, 'send'>): Promise<void> {
  const node = { id: 'photo', type: 'basedNode', position: { x: 0, y: 0 } };
  const data = { label: 'Photo', category: 'input', nodeType: 'input:image' };
  const graph = { name: 'Frame', nodes: [{ ...node, data }], edges: [] };
  const { id } = (await send('POST', `${V1}/workflows`, graph)).body;
  const body = { slug: 'frame', title: 'Frame', inputs: [{ nodeId: 'photo' }], outputs: ['photo'] };
  await send('PUT', `${V1}/workflows/${id}/app`, body);
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
  await send('POST', `${V1}/apps/frame/media`, form, {
    headers: { 'x-raw': 'text', 'content-type': 'multipart/form-data; boundary=b' },
  });
}

/** Runs an app whose runs cost more than its limit. */
export async function tourPaidApp({ send }: Pick<TourContext, 'send'>, workflowPath: string): Promise<void> {
  const body = { slug: 'paid', title: 'Fox', inputs: [], outputs: ['m'], maxCreditsPerRun: 0 };
  await send('PUT', `${workflowPath}/app`, body);
  await send('POST', `${V1}/apps/paid/run`, { inputs: {} });
}
