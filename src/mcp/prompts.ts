// Prompts that people pick in their client: a table of what each asks the model to do.
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
    description: 'From a goal to a workflow that is checked and priced',
    input: Type.Object({ goal: Type.String({ maxLength: 4000, description: 'What it should make' }) }),
    text: ({ goal }) =>
      `Make a Graphwright workflow for this goal: ${goal}\n\nLook for a template first. Else find the nodes, read those you use, create the workflow, mend every issue, and give me its price and address. Do not run it before I agree.`,
  },
  {
    name: 'fix_workflow',
    title: 'Fix a workflow',
    description: 'Find what is wrong with a workflow and mend it',
    input: Type.Object({ workflowId }),
    text: args =>
      `Check the Graphwright workflow ${args.workflowId}. Mend its errors and warnings with as few changes as you can, check it again, and say what you changed and why.`,
  },
  {
    name: 'run_and_show',
    title: 'Run and show',
    description: 'Run a workflow and show what came of it',
    input: Type.Object({ workflowId }),
    text: args =>
      `Check the Graphwright workflow ${args.workflowId} and say what a run costs. When it is free or I agree, run it, wait for its end, and show me the outputs with their links.`,
  },
];
