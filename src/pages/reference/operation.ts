// Renders one operation of the API reference: parameters, responses, code samples, and a form to try it.
import { type Html, html } from '../html.ts';
import type { ApiDocument, Operation, Parameter, Response } from './document.ts';
import { findExample, getRefName, resolveResponse } from './document.ts';
import { getPathValue, listSamples } from './samples.ts';
import { type PropertyRow, renderInline, renderPropertyList, renderSchema, renderType } from './schema.ts';

/** Renders the operation as a section with its id as anchor. */
export function renderOperation(document: ApiDocument, operation: Operation, origin: string): Html {
  const { operationId, summary = operationId, description = '', method, path } = operation;
  const responses = Object.entries(operation.responses).map(
    ([status, response]) => [status, resolveResponse(document, response)] as const,
  );
  return html`<section class="operation" id="${operationId}"><h2><a href="#${operationId}">${summary}</a></h2>
<p class="route"><span class="method">${method}</span> <code>${path}</code></p>
<div class="columns"><div>${description
    .split('\n\n')
    .filter(paragraph => paragraph !== '')
    .map(paragraph => html`<p>${renderInline(paragraph)}</p>`)}
<p class="muted">${renderCredentialNote(operation)}</p>
${renderParameters(operation)}${renderBody(document, operation)}${renderResponses(responses)}</div>
<div>${renderSamples(operation, origin)}${renderExample(responses)}${renderTryForm(operation)}</div></div></section>`;
}

const CREDENTIALS: Readonly<Record<string, string>> = {
  apiKey: 'an API key',
  session: 'a signed-in session',
  contentSecret: 'the content secret',
};

function renderCredentialNote({ security = [] }: Operation): string {
  const credentials = security.flatMap(requirement =>
    Object.keys(requirement).map(name => CREDENTIALS[name] ?? name),
  );
  if (credentials.length === 0) return 'No authentication required.';
  const isOpen = security.some(requirement => Object.keys(requirement).length === 0);
  return `${isOpen ? 'Public. Returns more with' : 'Requires'} ${credentials.join(' or ')}.`;
}

const toRow = ({ name, required = false, schema = {}, description }: Parameter): PropertyRow => ({
  name,
  isRequired: required,
  type: renderType(schema),
  description: description ?? schema.description,
});

const PARAMETER_TITLES = { path: 'Path parameters', query: 'Query parameters', header: 'Headers' } as const;

function renderParameters({ parameters }: Operation): Html {
  return html`${Object.entries(PARAMETER_TITLES).map(([location, title]) => {
    const rows = parameters.filter(parameter => parameter.in === location).map(toRow);
    return rows.length === 0 ? undefined : html`<h3>${title}</h3>${renderPropertyList(rows)}`;
  })}`;
}

function renderBody({ components }: ApiDocument, { requestBody }: Operation): Html | undefined {
  const contents = Object.entries(requestBody?.content ?? {});
  if (contents.length === 0) return undefined;
  return html`<h3>Request body</h3>${contents.map(
    ([type, { schema = {} }]) =>
      html`<p class="field-type">${type}${schema.$ref === undefined ? undefined : html`: ${renderType(schema)}`}</p>${renderSchema(components.schemas[getRefName(schema.$ref)] ?? schema)}`,
  )}`;
}

type Responses = readonly (readonly [status: string, response: Response])[];

function renderResponses(responses: Responses): Html {
  const isError = ([status]: Responses[number]): boolean => Number(status) >= 400;
  return html`<h3>Responses</h3><dl class="fields">${responses
    .filter(response => !isError(response))
    .map(
      ([status, { description = '', content = {} }]) =>
        html`<div><dt><code>${status}</code></dt><dd><p>${renderInline(description)}</p>${Object.entries(
          content,
        ).map(
          ([type, { schema = {} }]) => html`<p class="field-type">${type}: ${renderType(schema)}</p>`,
        )}</dd></div>`,
    )}</dl>
<details><summary>Errors</summary><dl class="fields">${responses
    .filter(isError)
    .map(
      ([status, { description = '' }]) =>
        html`<div><dt><code>${status}</code></dt><dd>${description
          .split('\n\n')
          .map(line => html`<p>${renderInline(line)}</p>`)}</dd></div>`,
    )}</dl></details>`;
}

function renderSamples(operation: Operation, origin: string): Html {
  return html`<div class="samples">${listSamples(operation, origin).map(
    ({ language, code }) =>
      html`<div class="sample" data-language="${language}"><h3>${language}</h3><pre tabindex="0" role="region" aria-label="${language}: ${operation.operationId}"><code>${code}</code></pre></div>`,
  )}</div>`;
}

function renderExample(responses: Responses): Html | undefined {
  const [status, response] = responses.find(([status]) => Number(status) < 300) ?? [];
  const value = findExample(response?.content?.['application/json']);
  if (value === undefined) return undefined;
  return html`<details><summary>Example response (${status})</summary><pre tabindex="0"><code>${JSON.stringify(value, null, 2)}</code></pre></details>`;
}

/** Renders the form to try an operation, which is hidden until the script shows it. */
function renderTryForm(operation: Operation): Html {
  const { operationId, method, path, parameters, requestBody } = operation;
  const label = (name: string, field: Html): Html => html`<label><span>${name}</span>${field}</label>`;
  const fields = parameters.map(({ in: location, name, required = false }) =>
    label(
      name,
      html`<input name="${location}:${name}" autocomplete="off" spellcheck="false"${required ? html` required` : undefined}${
        location === 'path' ? html` placeholder="${getPathValue(path, name)}"` : undefined
      }>`,
    ),
  );
  const content = requestBody?.content ?? {};
  const json = content['application/json'];
  const body =
    content['multipart/form-data'] !== undefined
      ? label('File', html`<input type="file" name="file" required>`)
      : json !== undefined
        ? label(
            'Body',
            html`<textarea name="body" rows="8" spellcheck="false">${JSON.stringify(findExample(json) ?? {}, null, 2)}</textarea>`,
          )
        : undefined;
  return html`<details class="try" hidden><summary>Try it</summary><form data-method="${method}" data-path="${path}" aria-label="Try ${operationId}">${fields}${body}<p><button class="button" type="submit">Send ${method}</button> <button class="button quiet" type="button" data-stop hidden>Stop</button></p><pre class="response" tabindex="0" role="region" aria-label="Response of ${operationId}" aria-live="polite" hidden></pre></form></details>`;
}
