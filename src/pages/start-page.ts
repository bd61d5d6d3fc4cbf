// Renders the home page: what the service does, and how to create and run a first workflow.
import { renderDocument, SITE_NAME } from './document.ts';
import { type Html, html } from './html.ts';
import type { Site } from './site.ts';
import { FIRST_WORKFLOW, POSTCARD } from './start-page-graphs.ts';
import { renderPreview } from './workflow-drawing.ts';

const LEAD =
  'Connect AI models, media tools and logic in a workflow. Graphwright validates it, runs it, stores the results and notifies you when they are ready.';

/** Renders `/` for visitors who are not signed in. */
export function renderStartPage(site: Site): string {
  return renderDocument({
    title: SITE_NAME,
    description: LEAD,
    canonical: `${site.baseUrl}/`,
    main: html`<div class="wrap"><div class="hero"><h1>Build workflows for images, video and audio</h1><p class="lead">${LEAD}</p><p class="actions"><a class="button" href="/sign-in">Sign in</a> <a class="button quiet" href="/docs">Open the API reference</a></p></div>
${renderExample(site)}${renderFeatures()}${renderSteps(site)}</div>`,
  });
}

const EXAMPLE = {
  id: '',
  name: 'Postcard',
  description: null,
  graph: POSTCARD,
  exposedInputs: null,
  slug: null,
  appSlug: null,
  canEdit: false,
};

function renderExample(site: Site): Html | undefined {
  const drawing = renderPreview(EXAMPLE, site);
  return html`<section class="part"><h2>Example: a postcard from any place</h2>${drawing}<p class="byline">The place is inserted into a prompt and a greeting. The prompt generates an image, the greeting becomes a card, and the two are combined into a postcard.</p></section>`;
}

const FEATURES = [
  [
    'Validated before it runs',
    'Every change is checked against the node catalog, and every issue names its location.',
  ],
  ['Durable runs', 'After a crash, an accepted run continues from the last completed node.'],
  [
    'Predictable costs',
    'You see an estimate before each run, and you are never charged more than was reserved.',
  ],
  ['Signed webhooks', 'Each run sends one signed webhook when it ends, retried until it is received.'],
  [
    'Media storage included',
    'Upload and validate files, get a URL for every result, and render video from templates.',
  ],
  ['Self-hosted', 'One program with its own database, on one machine or many.'],
] as const;

function renderFeatures(): Html {
  return html`<section class="part"><h2>Features</h2><ul class="grid">${FEATURES.map(
    ([title, text]) => html`<li><h3>${title}</h3><p>${text}</p></li>`,
  )}</ul></section>`;
}

function renderSteps({ baseUrl }: Site): Html {
  return html`<section class="part"><h2>Get started</h2><ol class="steps wide">${listSteps(
    `${baseUrl}/api/v1`,
  ).map(
    ([title, text, command]) =>
      html`<li><h3>${title}</h3><p>${text}</p><pre tabindex="0"><code>${command}</code></pre></li>`,
  )}</ol></section>`;
}

const HEADERS = `-H "Authorization: Bearer $GRAPHWRIGHT_API_KEY" -H 'Content-Type: application/json'`;

function listSteps(api: string): readonly (readonly [title: string, text: string, command: string])[] {
  return [
    [
      'Get an API key',
      'The service prints the first key when it starts for the first time. Create more keys in Settings.',
      'export GRAPHWRIGHT_API_KEY=sk-…',
    ],
    [
      'Create a workflow',
      'This one has two nodes and a connection. The response contains the id of the workflow and any issues.',
      `curl ${api}/workflows \\\n  ${HEADERS} \\\n  -d '${formatGraph(FIRST_WORKFLOW)}'`,
    ],
    [
      'Run it',
      'Replace ID with the id of the workflow. The request waits up to 30 seconds for the result.',
      `curl ${api}/workflows/ID/run \\\n  ${HEADERS} -H 'Prefer: wait=30' \\\n  -d '{ "inputs": { "place": "Porto" } }'`,
    ],
  ];
}

/** Formats JSON for reading: one line per edge, three per node. */
function formatGraph({ name, nodes, edges }: typeof FIRST_WORKFLOW): string {
  const nodeLines = nodes.map(({ id, type, position, data: { config, ...data } }) => {
    const openBraces = (part: object): string => JSON.stringify(part).slice(0, -1);
    return `    ${openBraces({ id, type, position })},\n      "data": ${openBraces(data)},\n        "config": ${JSON.stringify(config)}}}`;
  });
  const edgeLines = edges.map(edge => `    ${JSON.stringify(edge)}`);
  return `{\n  "name": ${JSON.stringify(name)},\n  "nodes": [\n${nodeLines.join(',\n')}\n  ],\n  "edges": [\n${edgeLines.join(',\n')}\n  ]\n}`;
}
