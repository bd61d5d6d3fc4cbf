// Lists the prompts that people can choose in their client.
import { type TObject, Type } from 'typebox';

export interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: TObject;
  readonly text: (args: Readonly<Record<string, string>>) => string;
}

const workflowId = Type.String({ maxLength: 64, description: 'Workflow id, wf_…' });

export const PROMPTS: readonly Prompt[] = [
  {
    name: 'make_workflow',
    title: 'Make a workflow',
    description: 'Create a workflow for a goal, check it and estimate its price',
    input: Type.Object({
      goal: Type.String({ maxLength: 4000, description: 'What the workflow should make' }),
    }),
    text: ({ goal }) =>
      `Make a Graphwright workflow for this goal: ${goal}\n\nLook for a template first. Else find the nodes, read those you use, create the workflow, fix every issue, and tell me its price and URL. Do not run it before I agree.`,
  },
  {
    name: 'fix_workflow',
    title: 'Fix a workflow',
    description: 'Find and fix the problems of a workflow',
    input: Type.Object({ workflowId }),
    text: args =>
      `Check the Graphwright workflow ${args.workflowId}. Fix its errors and warnings with as few changes as possible, check it again, and tell me what you changed and why.`,
  },
  {
    name: 'run_and_show',
    title: 'Run and show',
    description: 'Run a workflow and show the results',
    input: Type.Object({ workflowId }),
    text: args =>
      `Check the Graphwright workflow ${args.workflowId} and tell me what a run costs. If it is free or I agree, run it, wait until it ends, and show me the outputs with their links.`,
  },
];
