// `graphwright workflows`: exports and imports workflows, and restores deleted ones. Restoring works over HTTP if there is
// a key, else directly in the database.
import { writeFile } from 'node:fs/promises';
import type { RestoredWorkflow, Workflow } from '../../sdk/src/schemas.ts';
import { readSettings } from '../lib/settings.ts';
import { createServiceClient } from './client.ts';
import type { Command } from './command.ts';
import { runAsOperator } from './operator.ts';
import { cleanText } from './terminal/text-width.ts';
import { IMPORT_PATH, readWorkflowFile, type WorkflowFile } from './workflow-file.ts';

export const exportWorkflow: Command = async ({ args, options, terminal, signal }) => {
  const [id = ''] = args;
  const client = createServiceClient(readSettings(), signal);
  const file = await client.get<WorkflowFile>(`/workflows/${encodeURIComponent(id)}/export`);
  const text = JSON.stringify(file, null, 2);
  if (typeof options.out !== 'string') return terminal.print(text);
  await writeFile(options.out, `${text}\n`);
  const componentCount = file.components?.length ?? 0;
  terminal.print(
    `Wrote ${options.out}: ${cleanText(file.name)}, ${componentCount} components, ${file.media?.length ?? 0} media files.`,
  );
};

export const importWorkflow: Command = async ({ args, options, terminal, signal }) => {
  const [path = ''] = args;
  const file = await readWorkflowFile(path);
  const workflow = await createServiceClient(readSettings(), signal).post<Workflow>(IMPORT_PATH, file);
  if (options.json === true) return terminal.print(JSON.stringify(workflow, null, 2));
  terminal.print(`${workflow.id}  ${cleanText(workflow.name)}`);
  for (const warning of workflow.meta?.warnings ?? []) terminal.note(cleanText(warning));
};

export const restoreWorkflow: Command = async ({ args, options, terminal, signal }) => {
  const [id = ''] = args;
  const workflow = await runAsOperator<RestoredWorkflow>(signal, {
    http: client => client.post(`/admin/workflows/${encodeURIComponent(id)}/restore`),
    database: async (deps, operator) =>
      (await import('../services/workflows/delete-workflow.ts')).restoreWorkflowAsAdmin(deps, operator, id),
  });
  if (options.json === true) return terminal.print(JSON.stringify(workflow, null, 2));
  terminal.print(
    `${workflow.id}, ${cleanText(workflow.name)}, was restored for user ${workflow.userId}, who can activate it again.`,
  );
};
