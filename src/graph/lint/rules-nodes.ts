// Defines the lint rules for single nodes: type, position, settings and ports.
import { isBypassed } from '../bypass.ts';
import type { InputDef, UnavailableCode } from '../catalog.ts';
import { findTokenProblem } from '../config-ports.ts';
import { findListProblem, findNumberProblem } from '../fields.ts';
import { quote, toJsonPointer } from '../issues.ts';
import { findNearestName, findNearestNodeType } from '../nearest.ts';
import { explainDisallowed } from '../policy.ts';
import { CATEGORIES, type FieldType, type Json, type JsonObject } from '../types.ts';
import { BLANK } from '../valid-parts.ts';
import type { LintContext, LintNode, Rule, RuleIssue } from './context.ts';

/** Config keys that the engine reads on every node. */
const COMMON_KEYS = ['fanOut', 'maxCredits'];
/** Matches a secret reference, which is replaced only when the node runs. */
const SECRET_REFERENCE = /^\{\{\s*secrets\./;

const isMedia = (value: Json): boolean =>
  typeof value === 'string' || (typeof value === 'object' && !Array.isArray(value));

const VALUE_CHECKS: Readonly<Record<FieldType, readonly [form: string, fits: (value: Json) => boolean]>> = {
  TEXT: ['text', value => typeof value === 'string' || typeof value === 'number'],
  NUMBER: [
    'a number',
    value => typeof value === 'number' || (typeof value === 'string' && SECRET_REFERENCE.test(value)),
  ],
  JSON: ['any JSON', () => true],
  IMAGE: ['the URL of an image', isMedia],
  VIDEO: ['the URL of a video', isMedia],
  AUDIO: ['the URL of an audio file', isMedia],
  LIST: ['a list', value => Array.isArray(value)],
  BOOLEAN: ['true or false', value => typeof value === 'boolean'],
  ANY: ['any value', () => true],
};

export const NODE_RULES: readonly Rule[] = [
  createNodeRule('missing_position', 'error', findMissingPosition),
  createNodeRule('unknown_node_type', 'error', findUnknownType),
  createNodeRule('wrong_type', 'error', findWrongType),
  createNodeRule('deprecated_type', 'error', findDeprecated),
  createNodeRule('unknown_category', 'warning', findUnknownCategory),
  createNodeRule('unknown_config_key', 'warning', findUnknownKeys),
  createNodeRule('removed_config_key', 'warning', findRemovedKeys),
  createNodeRule('value_not_in_enum', 'warning', findEnumMisses),
  createNodeRule('wrong_value_type', 'warning', findWrongValues),
  createNodeRule('value_out_of_range', 'warning', findOutOfRange),
  createNodeRule('params_override_config', 'warning', findOverrides),
  createNodeRule('params_in_use', 'warning', findParams),
  createNodeRule('stray_port', 'warning', findStrayPorts),
  createNodeRule('required_port_unfed', 'warning', forActive(findMissingInputs)),
  createNodeRule('required_field_missing', 'warning', forActive(findMissingFields)),
  createNodeRule('invalid_token', 'warning', forActive(findInvalidTokens)),
  createNodeRule('unusable_config', 'warning', forActive(findUnusable)),
  createNodeRule('undrawable_text', 'warning', forActive(findUndrawableTexts)),
  createNodeRule(
    'provider_not_configured',
    'warning',
    forActive(createUnavailableFinder('provider_not_configured')),
  ),
  createNodeRule('local_nodes_off', 'warning', forActive(createUnavailableFinder('local_nodes_off'))),
  createNodeRule('unknown_imported_node', 'warning', forActive(createUnavailableFinder('invalid_graph'))),
  createNodeRule('not_allowed_by_policy', 'warning', forActive(findDisallowed)),
];

/** An issue of a node rule. `path` is relative to the node. */
export type NodeRuleIssue = Pick<RuleIssue, 'port' | 'message' | 'suggestion'> & {
  readonly path: readonly (string | number)[];
};

type FindNodeIssues = (node: LintNode, ctx: LintContext) => Iterable<NodeRuleIssue>;

export function createNodeRule(code: string, severity: Rule['severity'], find: FindNodeIssues): Rule {
  return {
    code,
    severity,
    *find(ctx) {
      for (const linted of ctx.nodes) {
        for (const { path, ...issue } of find(linted, ctx)) {
          yield { nodeId: linted.node.id, path: toJsonPointer('nodes', linted.index, ...path), ...issue };
        }
      }
    },
  };
}

/** Limits a rule to nodes that run. */
function forActive(find: FindNodeIssues): FindNodeIssues {
  return (linted, ctx) => (isBypassed(linted.node) ? [] : find(linted, ctx));
}

function* findMissingPosition(
  { node }: LintNode,
  { options, previousById }: LintContext,
): Iterable<NodeRuleIssue> {
  if (!options.unplaced?.has(node.id)) return;
  // Nodes that an update adds are placed automatically.
  if (options.previous !== undefined && !previousById.has(node.id)) return;
  yield { path: ['position'], message: 'Set the position { x, y } of the node.' };
}

function* findUnknownType(
  { node, entry }: LintNode,
  { nodeTypes, suggestionBudget }: LintContext,
): Iterable<NodeRuleIssue> {
  if (entry !== undefined || node.data.nodeType === BLANK) return;
  yield {
    path: ['data', 'nodeType'],
    ...suggest(
      `Unknown node type ${quote(node.data.nodeType)}`,
      findNearestNodeType(node.data.nodeType, nodeTypes(), suggestionBudget),
      'See GET /nodes for all types.',
    ),
  };
}

function* findWrongType({ node, entry }: LintNode): Iterable<NodeRuleIssue> {
  if (entry === undefined) return;
  const expected = entry.customNodeType ?? 'basedNode';
  if (node.type === expected || node.type === BLANK) return;
  const message = `A ${entry.nodeType} node must have the type ${quote(expected)}, not ${quote(node.type)}.`;
  yield { path: ['type'], message, suggestion: expected };
}

function* findDeprecated({ node, entry }: LintNode, { previousById }: LintContext): Iterable<NodeRuleIssue> {
  if (!entry?.deprecated) return;
  const { nodeType } = node.data;
  if (previousById.get(node.id)?.data.nodeType === nodeType) return;
  yield {
    path: ['data', 'nodeType'],
    message: `${quote(nodeType)} is deprecated and can no longer be added. Choose another type from GET /nodes.`,
  };
}

function* findUnknownCategory(
  { node, entry }: LintNode,
  { suggestionBudget }: LintContext,
): Iterable<NodeRuleIssue> {
  const { category } = node.data;
  const knownCategories: readonly string[] = CATEGORIES;
  if (category === BLANK || knownCategories.includes(category) || category === entry?.category) return;
  const fallback = `Use one of ${CATEGORIES.join(', ')}.`;
  yield {
    path: ['data', 'category'],
    ...suggest(
      `Unknown category ${quote(category)}`,
      findNearestName(category, knownCategories, suggestionBudget),
      fallback,
    ),
  };
}

function* findRemovedKeys(linted: LintNode): Iterable<NodeRuleIssue> {
  for (const [{ id, removed }] of listSettings(linted)) {
    if (removed !== true) continue;
    const message = `config.${id} is no longer a field of this node, and the node cannot run with it. Remove it.`;
    yield { path: ['data', 'config', id], message };
  }
}

function* findUnknownKeys(
  { entry, config, inputs }: LintNode,
  { suggestionBudget }: LintContext,
): Iterable<NodeRuleIssue> {
  if (entry === undefined) return;
  for (const key of Object.keys(config)) {
    // A port or field of the catalog entry is known, even if this config does not produce it.
    if (COMMON_KEYS.includes(key) || entry.inputs.some(({ id }) => id === key)) continue;
    const input = inputs.get(key);
    if (input !== undefined && input.wiredOnly !== true) continue;
    if (input !== undefined) {
      const message = `config.${key} has no effect: the port ${quote(input.label)} accepts only a connection. Connect an output to it.`;
      yield { path: ['data', 'config', key], message };
      continue;
    }
    yield {
      path: ['data', 'config', key],
      ...suggest(
        `config.${key} is not a field of ${entry.nodeType}`,
        findNearestName(key, inputs.keys(), suggestionBudget),
        'It has no effect.',
      ),
    };
  }
}

function* findEnumMisses(linted: LintNode, { suggestionBudget }: LintContext): Iterable<NodeRuleIssue> {
  for (const [input, value] of listSettings(linted)) {
    const { enum: options } = input;
    if (options === undefined || typeof value !== 'string' || options.includes(value)) continue;
    if (SECRET_REFERENCE.test(value)) continue;
    const fallback = `Use one of ${options.slice(0, 12).map(quote).join(', ')}.`;
    yield {
      path: ['data', 'config', input.id],
      ...suggest(
        `config.${input.id} cannot be ${quote(value)}`,
        findNearestName(value, options, suggestionBudget),
        fallback,
      ),
    };
  }
}

function* findWrongValues(linted: LintNode): Iterable<NodeRuleIssue> {
  for (const [{ id, type }, value] of listSettings(linted)) {
    const [form, fits] = VALUE_CHECKS[type];
    if (fits(value)) continue;
    const message = `config.${id} must be ${form}, but is ${describeType(value)}.`;
    yield { path: ['data', 'config', id], message };
  }
}

function* findOutOfRange(linted: LintNode): Iterable<NodeRuleIssue> {
  for (const [input, value] of listSettings(linted)) {
    const problem = Array.isArray(value)
      ? findListProblem(value.length, input)
      : typeof value === 'number' && findNumberProblem(value, input);
    if (!problem) continue;
    const description = Array.isArray(value) ? `a list of ${value.length}` : value;
    yield {
      path: ['data', 'config', input.id],
      message: `config.${input.id} is ${description}, but must be ${problem}.`,
    };
  }
}

function* findOverrides({ config, params }: LintNode): Iterable<NodeRuleIssue> {
  for (const key of Object.keys(params)) {
    if (!Object.hasOwn(config, key)) continue;
    const message = `params.${key} overrides config.${key} in runs. Keep the value only in config.`;
    yield { path: ['data', 'params', key], message };
  }
}

function* findParams({ params }: LintNode): Iterable<NodeRuleIssue> {
  if (Object.keys(params).length === 0) return;
  yield {
    path: ['data', 'params'],
    message: 'data.params is deprecated. Move its settings to data.config.',
  };
}

function* findStrayPorts({ node, entry, inputs }: LintNode): Iterable<NodeRuleIssue> {
  if (entry === undefined) return;
  for (const [index, { id }] of (node.data.inputs ?? []).entries()) {
    const input = inputs.get(id);
    if (input === undefined || input.isPort) continue;
    const message = `${quote(id)} is a setting and cannot be a port. Set config.${id} and remove the port.`;
    yield { path: ['data', 'inputs', index], message };
  }
}

function* findMissingInputs({ config, params, inputs, feeds }: LintNode): Iterable<NodeRuleIssue> {
  for (const { id, label, isPort, required, wiredOnly, default: fallback } of inputs.values()) {
    if (!isPort || !required || fallback !== undefined || feeds.has(id)) continue;
    if (wiredOnly !== true && (isSet(config, id) || isSet(params, id))) continue;
    const message = `The required port ${quote(label)} is not connected. Connect an output to it.`;
    yield { path: [], port: id, message };
  }
}

function* findMissingFields({ config, params, inputs }: LintNode): Iterable<NodeRuleIssue> {
  for (const { id, label, isPort, required, default: fallback, description } of inputs.values()) {
    if (isPort || !required || fallback !== undefined || isSet(config, id) || isSet(params, id)) continue;
    const reason = description === undefined ? '' : ` ${description}`;
    yield { path: ['data', 'config', id], message: `${quote(label)} must be set.${reason}` };
  }
}

function* findInvalidTokens({ node, config }: LintNode): Iterable<NodeRuleIssue> {
  if (node.data.nodeType !== 'utility:text_template') return;
  const message = findTokenProblem(config.template);
  if (message !== undefined) yield { path: ['data', 'config', 'template'], message };
}

function* findUnusable({ ports: { problem } }: LintNode): Iterable<NodeRuleIssue> {
  if (problem !== undefined) yield { path: ['data', 'config'], message: problem };
}

function* findUndrawableTexts(
  { node, config, feeds }: LintNode,
  { catalog }: LintContext,
): Iterable<NodeRuleIssue> {
  if (catalog.findWarnings === undefined) return;
  const texts: Record<string, string> = {};
  for (const [port, edges] of feeds) {
    const source = edges.at(-1)?.source;
    const value = source?.node.data.nodeType === 'input:text' ? source.config.value : undefined;
    if (typeof value === 'string') texts[port] = value;
  }
  for (const { path, message } of catalog.findWarnings(node.data.nodeType, config, texts))
    yield { path: ['data', 'config', ...path], message };
}

function createUnavailableFinder(code: UnavailableCode): (node: LintNode) => Iterable<NodeRuleIssue> {
  return ({ ports: { unavailableReason, unavailableCode = 'provider_not_configured' } }) =>
    unavailableReason === undefined || unavailableCode !== code
      ? []
      : [{ path: ['data', 'nodeType'], message: unavailableReason }];
}

function* findDisallowed(
  { node, ports: { provider } }: LintNode,
  { options: { policy } }: LintContext,
): Iterable<NodeRuleIssue> {
  if (policy === undefined || provider === undefined) return;
  const message = explainDisallowed(policy, { ...node.data, provider });
  if (message !== undefined) yield { path: ['data', 'nodeType'], message };
}

/** Yields the settings in `config` that the node type has, with their definitions. */
function* listSettings({ config, inputs }: LintNode): Iterable<readonly [InputDef, Json]> {
  // A config may have many keys that the type does not have.
  for (const [key, input] of inputs) {
    const value = Object.hasOwn(config, key) ? config[key] : undefined;
    if (value !== undefined && value !== null) yield [input, value];
  }
}

function isSet(settings: JsonObject, key: string): boolean {
  return Object.hasOwn(settings, key) && settings[key] !== null && settings[key] !== '';
}

function describeType(value: Json): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return 'text';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function suggest(
  problem: string,
  suggestion: string | undefined,
  fallback: string,
): Pick<RuleIssue, 'message' | 'suggestion'> {
  if (suggestion === undefined) return { message: `${problem}. ${fallback}` };
  return { message: `${problem}. Did you mean ${quote(suggestion)}?`, suggestion };
}
