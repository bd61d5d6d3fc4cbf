// Renders the read-only page of a workflow: its diagram, inputs and nodes, and a curl command for readers who may run it.

import type { Catalog } from '../graph/catalog.ts';
import { formatCount } from '../graph/format-count.ts';
import { isInputNode } from '../graph/input-nodes.ts';
import type { GraphNode } from '../graph/types.ts';
import { renderDocument } from './document.ts';
import { type Html, html, trustMarkup } from './html.ts';
import type { DrawnWorkflow, Site } from './site.ts';
import { drawWorkflow, getWorkflowPath } from './workflow-drawing.ts';

const MAX_LISTED_NODES = 500;
const MAX_SHOWN_INPUTS = 20;
const MAX_VALUE_LENGTH = 60;

/** Renders the page. Search engines may list it only if the workflow is public. */
export function renderWorkflowPage(
  workflow: DrawnWorkflow,
  { baseUrl, catalog }: Site,
  visibility: 'public' | 'private',
): string {
  const drawing = drawWorkflow(workflow, catalog);
  const { nodes, edges } = workflow.graph;
  const inputs = listExposedInputs(workflow);
  return renderDocument({
    title: workflow.name,
    description: workflow.description ?? `A workflow with ${formatCount(nodes.length, 'node')}.`,
    canonical: visibility === 'public' ? baseUrl + getWorkflowPath(workflow) : undefined,
    main: html`<div class="wrap"><div class="hero"><h1 dir="auto">${workflow.name}</h1>${
      workflow.description === null
        ? undefined
        : html`<p class="lead pre" dir="auto">${workflow.description}</p>`
    }<p class="byline">${formatCount(nodes.length, 'node')}, ${formatCount(edges.length, 'connection')}</p>${
      workflow.appSlug === null
        ? undefined
        : html`<p class="actions"><a class="button" href="/a/${workflow.appSlug}">Open the app</a></p>`
    }</div>
${
  drawing === undefined
    ? html`<p class="meta">This workflow has ${nodes.length === 0 ? 'no nodes yet' : 'too many nodes to draw'}.</p>`
    : html`<div class="flow whole" role="region" aria-label="Workflow diagram" tabindex="0">${trustMarkup(drawing)}</div>`
}
${inputs.length === 0 ? undefined : html`<section class="part"><h2>Inputs</h2><ol class="nodes inputs">${inputs.map(node => renderNode(node, catalog))}</ol></section>`}
${workflow.canEdit ? renderCommand(workflow, inputs, baseUrl) : undefined}
<section class="part"><h2>Nodes</h2><ol class="nodes">${nodes.slice(0, MAX_LISTED_NODES).map(node => renderNode(node, catalog))}</ol>${
      nodes.length > MAX_LISTED_NODES
        ? html`<p class="byline">And ${nodes.length - MAX_LISTED_NODES} more.</p>`
        : undefined
    }</section></div>`,
  });
}

/** Omits a type that only repeats the label. */
function renderNode({ data }: GraphNode, catalog: Catalog): Html {
  const type = catalog.find(data.nodeType)?.label;
  return html`<li><span dir="auto">${data.label}</span>${
    type === undefined || type === data.label ? undefined : html`<span class="type">${type}</span>`
  }</li>`;
}

function renderCommand(workflow: DrawnWorkflow, inputs: readonly GraphNode[], baseUrl: string): Html {
  return html`<section class="part"><h2>Run this workflow</h2><div class="prose wide"><p>Use an API key of an account that can run this workflow:</p><pre tabindex="0"><code>${formatCurlCommand(workflow, inputs, baseUrl)}</code></pre><p>The response contains the ID of the run. See the <a href="/docs">API reference</a> for details.</p></div></section>`;
}

/** Returns the exposed inputs in the order of the publication, or all inputs if it does not name any. */
function listExposedInputs({ graph, exposedInputs }: DrawnWorkflow): readonly GraphNode[] {
  const inputs = graph.nodes.filter(isInputNode);
  const exposed =
    exposedInputs === null ? inputs : exposedInputs.flatMap(id => inputs.find(node => node.id === id) ?? []);
  return exposed.slice(0, MAX_SHOWN_INPUTS);
}

/** Returns the curl command that runs the workflow with the current values of its inputs. */
function formatCurlCommand({ id }: DrawnWorkflow, inputs: readonly GraphNode[], baseUrl: string): string {
  const values = inputs.map(node => [node.id, toSampleValue(node)]);
  return `curl -X POST '${baseUrl}/api/v1/workflows/${encodeURIComponent(id)}/run' \\
  -H "Authorization: Bearer $GRAPHWRIGHT_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d ${quoteForShell(JSON.stringify({ inputs: Object.fromEntries(values) }))}`;
}

function toSampleValue({ data: { config } }: GraphNode): unknown {
  const value = config?.value ?? '';
  return JSON.stringify(value).length <= MAX_VALUE_LENGTH ? value : '…';
}

function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
