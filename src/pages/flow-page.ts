// A workflow to look at: its drawing, its nodes, and the line that runs it.
import type { GraphNode } from '../graph/types.ts';
import { renderDocument } from './document.ts';
import { drawFlow, flowPath } from './flow-drawing.ts';
import { type Html, html, trusted } from './html.ts';
import type { FlowView, Site } from './site.ts';

const MAX_LISTED_NODES = 500;
const MAX_SHOWN_INPUTS = 20;
const MAX_SHOWN_VALUE = 60;

/** `isPublic`: whether anybody may see it, so that search engines may list it. */
export function renderFlowPage(
  flow: FlowView,
  { baseUrl, catalog }: Site,
  isPublic: 'public' | 'private',
): string {
  const drawing = drawFlow(flow, { baseUrl, catalog });
  const { nodes, edges } = flow.graph;
  const inputs = offeredInputs(flow);
  return renderDocument({
    title: flow.name,
    description: flow.description ?? `A workflow of ${nodes.length} nodes.`,
    canonical: isPublic === 'public' ? baseUrl + flowPath(flow) : undefined,
    main: html`<div class="wrap"><div class="hero"><h1 dir="auto">${flow.name}</h1>${
      flow.description === null ? undefined : html`<p class="lead pre" dir="auto">${flow.description}</p>`
    }<p class="byline">${count(nodes.length, 'node')}, ${count(edges.length, 'connection')}</p></div>
${
  drawing === undefined
    ? html`<p class="meta">This workflow has ${nodes.length === 0 ? 'no nodes yet' : 'too many nodes to draw'}.</p>`
    : html`<div class="flow whole" role="region" aria-label="Drawing of the workflow" tabindex="0">${trusted(drawing)}</div>`
}
${inputs.length === 0 ? undefined : html`<section class="part"><h2>Inputs</h2><ol class="nodes inputs">${inputs.map(renderInput)}</ol></section>`}
<section class="part"><h2>Run it</h2><div class="prose wide"><p>With an API key of an account that may run this workflow:</p><pre tabindex="0"><code>${curlLine(flow, inputs, baseUrl)}</code></pre><p>The answer names the execution to follow. <a href="/docs">The API reference</a> says the rest.</p></div></section>
<section class="part"><h2>Nodes</h2><ol class="nodes">${nodes.slice(0, MAX_LISTED_NODES).map(renderNode)}</ol>${
      nodes.length > MAX_LISTED_NODES
        ? html`<p class="byline">And ${nodes.length - MAX_LISTED_NODES} more.</p>`
        : undefined
    }</section></div>`,
  });
}

function renderNode({ data }: GraphNode): Html {
  return html`<li><span dir="auto">${data.label}</span><code>${data.nodeType}</code></li>`;
}

/** Those that the publication names, in its order, or the first of all. */
function offeredInputs({ graph, exposedInputs }: FlowView): readonly GraphNode[] {
  const inputs = graph.nodes.filter(({ data }) => data.nodeType.startsWith('input:'));
  const offered =
    exposedInputs === null ? inputs : exposedInputs.flatMap(id => inputs.find(node => node.id === id) ?? []);
  return offered.slice(0, MAX_SHOWN_INPUTS);
}

function renderInput({ id, data }: GraphNode): Html {
  return html`<li><span dir="auto">${data.label}</span><code>${id}</code></li>`;
}

/** One command to paste: the inputs with the values they have. */
function curlLine({ id }: FlowView, inputs: readonly GraphNode[], baseUrl: string): string {
  const values = inputs.map(node => [node.id, shownValue(node)]);
  return `curl -X POST '${baseUrl}/api/v1/workflows/${encodeURIComponent(id)}/run' \\
  -H "Authorization: Bearer $GRAPHWRIGHT_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d ${shellQuote(JSON.stringify({ inputs: Object.fromEntries(values) }))}`;
}

function shownValue({ data: { config } }: GraphNode): unknown {
  const value = config?.value ?? '';
  return JSON.stringify(value).length <= MAX_SHOWN_VALUE ? value : '…';
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}
