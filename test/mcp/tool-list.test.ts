// Checks the list of tools: its size in tokens, schemas that every client can read, titles, and hints.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { INSTRUCTIONS } from '../../src/mcp/guide.ts';
import { TOOLS } from '../../src/mcp/tool-table.ts';

const MAX_LIST_TOKENS = 5000;
/** The limit for names, descriptions and input schemas, which most clients send to a model. */
const MAX_MODEL_TOKENS = 2900;

const TOOL_NAMES = [
  'find_nodes',
  'list_workflows',
  'get_workflow',
  'create_workflow',
  'edit_workflow',
  'update_workflow_config',
  'check_workflow',
  'run_workflow',
  'get_execution',
  'cancel_execution',
  'list_approvals',
  'decide_approval',
  'run_batch',
  'get_batch',
  'list_automations',
  'set_automation_active',
  'run_automation',
  'find_apps',
  'run_app',
  'list_templates',
  'clone_template',
  'publish_workflow',
  'add_media',
];

/** Some clients reject these keywords, or hide arguments that use them. */
const UNSUPPORTED_KEYWORDS = [
  'oneOf',
  'anyOf',
  'allOf',
  'not',
  '$ref',
  '$defs',
  'if',
  'then',
  'else',
  'patternProperties',
];

/** Yields the schema and the schemas in it, with their paths. */
function* listSchemas(schema: unknown, path: string): Generator<readonly [string, Record<string, unknown>]> {
  yield [path, schema as Record<string, unknown>];
  const { properties = {}, items } = schema as { properties?: object; items?: unknown };
  for (const [name, member] of Object.entries(properties)) yield* listSchemas(member, `${path}/${name}`);
  if (items !== undefined) yield* listSchemas(items, `${path}/items`);
}

describe('the list of MCP tools', () => {
  it('has all tools in order', () => {
    assert.deepEqual(
      TOOLS.map(({ name }) => name),
      TOOL_NAMES,
    );
  });

  it('has object schemas with one type per field', () => {
    const problems: string[] = [];
    for (const { name, input, output } of TOOLS) {
      for (const [root, schema] of [
        ['input', input],
        ['output', output],
      ] as const) {
        assert.equal(schema.type, 'object', `${name} ${root}`);
        for (const [path, part] of listSchemas(JSON.parse(JSON.stringify(schema)), `${name} ${root}`)) {
          if (typeof part.type !== 'string') problems.push(`${path} has no single type`);
          for (const keyword of UNSUPPORTED_KEYWORDS)
            if (keyword in part) problems.push(`${path} has ${keyword}`);
          if (part.additionalProperties !== undefined && typeof part.additionalProperties !== 'boolean')
            problems.push(`${path} has a schema as additionalProperties`);
        }
      }
    }
    assert.deepEqual(problems, []);
  });

  it('requires no field of a result, because errors must match the output schema too', () => {
    for (const { name, output } of TOOLS) assert.equal(output.required, undefined, name);
  });

  it('has a title and hints for each tool', () => {
    for (const { name, title, hints } of TOOLS) {
      assert.ok(title.length > 0 && title.length <= 30, name);
      assert.ok(hints.readOnlyHint === true || typeof hints.destructiveHint === 'boolean', name);
      assert.equal(typeof hints.openWorldHint, 'boolean', name);
    }
  });

  it('requires workflows:read for every read-only tool', () => {
    for (const { name, scope, hints } of TOOLS)
      if (hints.readOnlyHint === true) assert.equal(scope, 'workflows:read', name);
  });

  it('stays within its token limits', t => {
    const fullList = TOOLS.map(({ name, title, description, input, output, hints }) => ({
      name,
      title,
      description,
      inputSchema: input,
      outputSchema: output,
      annotations: hints,
    }));
    const modelInput = TOOLS.map(({ name, description, input }) => ({
      name,
      description,
      inputSchema: input,
    }));
    const tokens = {
      list: encode(JSON.stringify(fullList)).length,
      model: encode(JSON.stringify(modelInput)).length,
    };
    t.diagnostic(JSON.stringify(tokens));
    assert.ok(tokens.list <= MAX_LIST_TOKENS, `${tokens.list} tokens`);
    assert.ok(tokens.model <= MAX_MODEL_TOKENS, `${tokens.model} tokens`);
  });

  it('has instructions of at most 250 words', () => {
    assert.ok(INSTRUCTIONS.split(/\s+/).length <= 250);
  });
});
