// The page that people open first: what this service is, and how a first workflow is made and run.
import { renderDocument, SITE_NAME } from './document.ts';
import { FIRST_WORKFLOW, POSTCARD } from './first-graph.ts';
import { renderPreview } from './flow-drawing.ts';
import { type Html, html } from './html.ts';
import type { Site } from './site.ts';

const LEAD =
  'Connect AI models, media tools and logic in a graph. Graphwright checks the graph, runs it, keeps the results and reports when they are ready.';

/** What stands at `/` for who is not signed in. */
export function renderStartPage(site: Site): string {
  return renderDocument({
    title: SITE_NAME,
    description: LEAD,
    canonical: `${site.baseUrl}/`,
    main: html`<div class="wrap"><div class="hero"><h1>Workflows that make pictures, video and sound</h1><p class="lead">${LEAD}</p><p class="actions"><a class="button" href="/sign-in">Sign in</a> <a class="button quiet" href="/docs">Open the API reference</a></p></div>
${renderExample(site)}${renderAbilities()}${renderFirstSteps(site)}</div>`,
  });
}

const EXAMPLE = { id: '', name: 'Postcard', description: null, graph: POSTCARD, exposedInputs: null };

function renderExample(site: Site): Html | undefined {
  const drawing = renderPreview(EXAMPLE, site);
  return html`<section class="part"><h2>One place in, one postcard out</h2>${drawing}<p class="byline">The place goes into a prompt and a greeting. The prompt becomes a picture, the greeting a card, and both a postcard.</p></section>`;
}

const ABILITIES = [
  [
    'Checked before it runs',
    'Each write is checked against the catalog of nodes, and each fault is named with its place.',
  ],
  [
    'Runs that survive',
    'A run that has been accepted goes on after a crash, from the last node that was completed.',
  ],
  ['Known costs', 'An estimate before the run, a reservation while it runs, and no charge above it.'],
  ['Signed webhooks', 'One signed message when a run has ended, sent again until it is received.'],
  [
    'Media included',
    'Uploads, checked files, a media address for each result, and video made from templates.',
  ],
  ['Yours to host', 'One program that brings its own database, on one machine or on many.'],
] as const;

function renderAbilities(): Html {
  return html`<section class="part"><h2>What it does for you</h2><ul class="grid">${ABILITIES.map(
    ([title, text]) => html`<li><h3>${title}</h3><p>${text}</p></li>`,
  )}</ul></section>`;
}

function renderFirstSteps({ baseUrl }: Site): Html {
  return html`<section class="part"><h2>From nothing to a result</h2><ol class="steps wide">${firstSteps(
    `${baseUrl}/api/v1`,
  ).map(
    ([title, text, command]) =>
      html`<li><h3>${title}</h3><p>${text}</p><pre tabindex="0"><code>${command}</code></pre></li>`,
  )}</ol></section>`;
}

const HEADERS = `-H "Authorization: Bearer $GRAPHWRIGHT_API_KEY" -H 'Content-Type: application/json'`;

function firstSteps(api: string): readonly (readonly [title: string, text: string, command: string])[] {
  return [
    [
      'Get a key',
      'The service prints the first key when it starts for the first time. Ask whoever runs it for another.',
      'export GRAPHWRIGHT_API_KEY=sk-…',
    ],
    [
      'Save a workflow',
      'Two nodes and an edge. The answer holds the id of the workflow, and whatever the check found.',
      `curl ${api}/workflows \\\n  ${HEADERS} \\\n  -d '${formatGraph(FIRST_WORKFLOW)}'`,
    ],
    [
      'Run it',
      'Put the id in, and change the place. The answer waits up to 30 seconds for the result.',
      `curl ${api}/workflows/ID/run \\\n  ${HEADERS} -H 'Prefer: wait=30' \\\n  -d '{ "inputs": { "place": "Porto" } }'`,
    ],
  ];
}

/** JSON that can be read: a line for each edge, three for each node. */
function formatGraph({ name, nodes, edges }: typeof FIRST_WORKFLOW): string {
  const nodeLines = nodes.map(({ id, type, position, data: { config, ...data } }) => {
    const open = (part: object): string => JSON.stringify(part).slice(0, -1);
    return `    ${open({ id, type, position })},\n      "data": ${open(data)},\n        "config": ${JSON.stringify(config)}}}`;
  });
  const edgeLines = edges.map(edge => `    ${JSON.stringify(edge)}`);
  return `{\n  "name": ${JSON.stringify(name)},\n  "nodes": [\n${nodeLines.join(',\n')}\n  ],\n  "edges": [\n${edgeLines.join(',\n')}\n  ]\n}`;
}
