// Declares logic nodes, which branch or wait. Nodes that are connected to a port without a value do not run.
import { getSwitchCases, MAX_CASES } from '../graph/config-ports.ts';
import { isJsonObject, type Json, type Value } from '../graph/types.ts';
import { jsonToValue, valueToText } from '../graph/values.ts';
import { compareValue, OPERATORS } from './compare.ts';
import {
  type ApprovalRequest,
  any,
  choice,
  createPorts,
  defineNode,
  flag,
  json,
  NodeError,
  number,
  Suspend,
  text,
} from './define.ts';
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

/** The maximum number of people whom one node asks. */
const MAX_ASSIGNEES = 20;
const MAX_REMINDER_HOURS = 30 * 24;

export const approval = defineNode({
  nodeType: 'logic:approval',
  label: 'Approval',
  description: 'Waits for a person to approve or reject, then sends the input to that output.',
  category: 'logic',
  inputs: { input: any('Input', { required: true }) },
  config: {
    message: text('Message', { default: '', description: 'The question to display.' }),
    assignees: json('Assignees', {
      default: [],
      description: `Who is asked: a list of emails and user IDs, at most ${MAX_ASSIGNEES}. They get a notice and a mail with a link. Empty: the person who started the run.`,
    }),
    editableInputs: flag('Allow edits', {
      description: 'Whether the approver may change the text, number or JSON before it continues.',
    }),
    reminderHours: number('Remind every (hours)', {
      default: 0,
      min: 0,
      max: MAX_REMINDER_HOURS,
      integer: true,
      description: 'Assignees are reminded at most ten times. 0: never.',
    }),
    timeoutMs: number('Timeout in milliseconds', {
      default: 7 * DAY_MS,
      min: 1000,
      max: 30 * DAY_MS,
      integer: true,
    }),
    timeoutDecision: choice('After the timeout', ['end', 'reject', 'approve'], {
      description: 'end: the run ends with the status TIMEOUT.',
    }),
  },
  outputs: { approved: any('Approved'), rejected: any('Rejected') },
  findWarnings: ({ assignees }) => {
    const problem = findAssigneesProblem(assignees);
    return problem === undefined ? [] : [{ path: ['assignees'], message: problem }];
  },
  run: ({ input, timeoutMs, ...settings }, ctx) => {
    const request = () => toRequest(settings);
    if (ctx.suspended === undefined) return new Suspend('decision', ctx.now() + timeoutMs, request());
    const { decision, untilMs } = ctx.suspended;
    if (decision === undefined) return new Suspend('decision', untilMs, request());
    return decide(decision, input);
  },
});

interface ApprovalSettings {
  readonly message: string;
  readonly assignees: Json;
  readonly reminderHours: number;
  readonly editableInputs: boolean;
  readonly timeoutDecision: 'end' | 'reject' | 'approve';
}

function toRequest(settings: ApprovalSettings): ApprovalRequest {
  const { message, assignees, reminderHours, editableInputs, timeoutDecision } = settings;
  const problem = findAssigneesProblem(assignees);
  if (problem !== undefined) throw new NodeError('invalid_assignees', problem);
  return {
    message,
    assignees: (assignees as readonly (string | number)[]).map(entry =>
      typeof entry === 'string' ? entry.trim().toLowerCase() : entry,
    ),
    reminderHours,
    isEditable: editableInputs,
    timeoutDecision: timeoutDecision === 'end' ? null : timeoutDecision,
  };
}

const EMAIL = /^[^\s@,;<>()[\]"\\]{1,64}@[^\s@,;<>()[\]"\\]{1,190}$/;

/** Returns a sentence about what is wrong with the assignees. */
function findAssigneesProblem(assignees: Json | undefined): string | undefined {
  if (assignees === undefined || assignees === null) return undefined;
  if (!Array.isArray(assignees)) return 'Assignees must be a list of emails and user IDs.';
  if (assignees.length > MAX_ASSIGNEES)
    return `An approval can have at most ${MAX_ASSIGNEES} assignees. Remove some.`;
  const invalid = assignees.find(entry => !isAssignee(entry));
  if (invalid === undefined) return undefined;
  return `${JSON.stringify(invalid).slice(0, 100)} is neither an email nor a user ID. Correct or remove it.`;
}

const isAssignee = (entry: Json): boolean =>
  typeof entry === 'string'
    ? EMAIL.test(entry.trim())
    : typeof entry === 'number' && Number.isInteger(entry) && entry > 0 && entry < 2 ** 31;

/** Applies a decision `{ approved, value? }`. The decision's value, if any, replaces the input. */
function decide(decision: Json, input: Value): Readonly<Record<string, Value>> {
  if (!isJsonObject(decision) || typeof decision.approved !== 'boolean') {
    throw new NodeError(
      'invalid_decision',
      'The decision is malformed. Send { "approved": true or false, "value"?: any }.',
    );
  }
  const value = decision.value === undefined ? input : toDecidedValue(decision.value, decision.valueType);
  return decision.approved ? { approved: value } : { rejected: value };
}

const toDecidedValue = (json: Json, type: Json | undefined): Value =>
  type === 'JSON' ? { type, json } : jsonToValue(json);
