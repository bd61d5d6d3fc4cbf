// Defines the lint rules for the values that calls set for the inputs of their components.
import { COMPONENT_CALL } from '../components/calls.ts';
import { getComponentPorts } from '../config-ports.ts';
import { readInputValue } from '../input-values.ts';
import { quote } from '../issues.ts';
import { findNearestName } from '../nearest.ts';
import { type Json, type PortType, toObject } from '../types.ts';
import { ValueError } from '../values.ts';
import type { LintContext, LintNode, Rule } from './context.ts';
import { createNodeRule, type NodeRuleIssue } from './rules-nodes.ts';

export const CALL_RULES: readonly Rule[] = [
  createNodeRule('unknown_component_input', 'warning', findUnknownInputs),
  createNodeRule('wrong_value_type', 'warning', findWrongValues),
];

function* findUnknownInputs(linted: LintNode, { suggestionBudget }: LintContext): Iterable<NodeRuleIssue> {
  for (const [id, , type] of listValues(linted)) {
    if (type !== undefined) continue;
    const suggestion = findNearestName(id, linted.inputs.keys(), suggestionBudget);
    const hint = suggestion === undefined ? 'It has no effect.' : `Did you mean ${quote(suggestion)}?`;
    yield {
      path: ['data', 'config', 'values', id],
      message: `The component has no input ${quote(id)}. ${hint}`,
      ...(suggestion === undefined ? {} : { suggestion }),
    };
  }
}

function* findWrongValues(linted: LintNode): Iterable<NodeRuleIssue> {
  for (const [id, value, type] of listValues(linted)) {
    // null selects the component's own value.
    if (type === undefined || value === null) continue;
    const problem = findValueProblem(`input:${type.toLowerCase()}`, value);
    if (problem === undefined) continue;
    yield {
      path: ['data', 'config', 'values', id],
      message: `The value of ${quote(id)} is invalid. ${problem}`,
    };
  }
}

/** Yields the values of a call with the types of their inputs. */
function* listValues({ node, config }: LintNode): Iterable<readonly [string, Json, PortType | undefined]> {
  // A component without ports is unknown or must not be read, which is reported by another rule.
  if (node.data.nodeType !== COMPONENT_CALL || !Array.isArray(config.inputs)) return;
  const types = new Map(getComponentPorts(config.inputs).map(({ id, type }) => [id, type]));
  for (const [id, value] of Object.entries(toObject(config.values))) yield [id, value as Json, types.get(id)];
}

function findValueProblem(nodeType: string, value: Json): string | undefined {
  try {
    readInputValue(nodeType, value);
    return undefined;
  } catch (err) {
    if (err instanceof ValueError) return err.message;
    throw err;
  }
}
