// Declares logic nodes, which branch or wait. Nodes that are connected to a port without a value do not run.
import { getSwitchCases, MAX_CASES } from '../graph/config-ports.ts';
import { isJsonObject, type Json, type Value } from '../graph/types.ts';
import { jsonToValue, valueToText } from '../graph/values.ts';
import { compareValue, OPERATORS } from './compare.ts';
import { any, choice, createPorts, defineNode, json, NodeError, number, Suspend, text } from './define.ts';
import { NUMBERED_INPUTS } from './list.ts';

export const logicIf = defineNode({
  nodeType: 'logic:if',
  forecastMode: 'by-value',
  label: 'If',
  description:
    'Compares a value and sends the input to one of two outputs. Without an input, sends the value.',
  category: 'logic',
  inputs: { value: any('Value'), input: any('Input') },
  config: {
    operator: choice('Operator', OPERATORS, { isPrimary: true }),
    compare: text('Compare with', { default: '', isPrimary: true }),
  },
  outputs: { true: any('True'), false: any('False') },
  run: async ({ value, input, operator, compare }, ctx) => {
    const isTrue = await compareValue({ value, operator, compare }, ctx);
    return { [String(isTrue)]: input ?? value ?? jsonToValue(isTrue) };
  },
});

export const logicSwitch = defineNode({
  nodeType: 'logic:switch',
  forecastMode: 'by-value',
  label: 'Switch',
  description:
    'Sends the input to the output of the first case that equals the value, or to the default output.',
  category: 'logic',
  inputs: { value: any('Value', { required: true }), input: any('Input') },
  config: {
    cases: json('Cases', { default: {}, description: 'Output name → text, for example { "cat": "A cat" }.' }),
  },
  outputs: { default: any('Default') },
  dynamicPorts: {
    note: `One output for each key of config.cases, ${MAX_CASES} at most, and default.`,
    resolve: config => ({
      inputs: { value: any('Value', { required: true }), input: any('Input') },
      outputs: {
        ...createPorts(readCases(config.cases).map(([name]) => name)),
        default: any('Default'),
      },
    }),
  },
  run: ({ value, input, cases }) => {
    const match = readCases(cases).find(([, expected]) => expected === valueToText(value));
    return { [match?.[0] ?? 'default']: input ?? value };
  },
});

function readCases(cases: unknown): (readonly [name: string, expected: string])[] {
  if (!isJsonObject(cases)) return [];
  return getSwitchCases(cases).map(([name, expected]) => [name, valueToText(jsonToValue(expected))]);
}

export const merge = defineNode({
  nodeType: 'logic:merge',
  forecastMode: 'by-shape',
  label: 'Merge',
  description: 'Outputs the first input that has a value. Use it to join the branches of an If node.',
  category: 'logic',
  inputs: NUMBERED_INPUTS,
  config: {},
  outputs: { output: any('Output') },
  run: ({ input1, input2, input3, input4 }) => ({ output: input1 ?? input2 ?? input3 ?? input4 }),
});

const DAY_MS = 86_400_000;

export const delay = defineNode({
  nodeType: 'logic:delay',
  label: 'Delay',
  description: 'Waits, then outputs the input. A waiting run does not occupy a worker.',
  category: 'logic',
  inputs: { input: any('Input', { required: true }) },
  config: { ms: number('Duration in milliseconds', { default: 1000, min: 0, max: DAY_MS, integer: true }) },
  outputs: { output: any('Output') },
  run: ({ input, ms }, ctx) => {
    return ctx.suspended === undefined && ms > 0 ? new Suspend('time', ctx.now() + ms) : { output: input };
  },
});

export const approval = defineNode({
  nodeType: 'logic:approval',
  label: 'Approval',
  description: 'Waits for a person to approve or reject, then sends the input to that output.',
  category: 'logic',
  inputs: { input: any('Input', { required: true }) },
  config: {
    message: text('Message', { default: '', description: 'The question to display.' }),
    timeoutMs: number('Timeout in milliseconds', {
      default: 7 * DAY_MS,
      min: 1000,
      max: 30 * DAY_MS,
      integer: true,
    }),
  },
  outputs: { approved: any('Approved'), rejected: any('Rejected') },
  run: ({ input, timeoutMs }, ctx) => {
    if (ctx.suspended === undefined) return new Suspend('decision', ctx.now() + timeoutMs);
    const { decision, untilMs } = ctx.suspended;
    if (decision === undefined) return new Suspend('decision', untilMs);
    return decide(decision, input);
  },
});

/** Applies a decision `{ approved, value? }`. The decision's value, if any, replaces the input. */
function decide(decision: Json, input: Value): Readonly<Record<string, Value>> {
  if (!isJsonObject(decision) || typeof decision.approved !== 'boolean') {
    throw new NodeError(
      'invalid_decision',
      'The decision is malformed. Send { "approved": true or false, "value"?: any }.',
    );
  }
  const value = decision.value === undefined ? input : jsonToValue(decision.value);
  return decision.approved ? { approved: value } : { rejected: value };
}
