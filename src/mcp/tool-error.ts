// Presents an error to an agent as a tool result, with the same message, code and issues as over REST.
import type { CallToolResult } from '@modelcontextprotocol/server';
import { type AppError, type Issue, toAppError } from '../lib/errors.ts';
import type { Logger } from '../lib/log.ts';
import type { Tool } from './tool.ts';

const MAX_ISSUES = 30;

/** Converts any thrown value to a result. Internal errors are logged. */
export function presentError(log: Logger, { name, hints }: Tool, thrown: unknown): CallToolResult {
  const err = toAppError(thrown, { isRepeatable: hints.readOnlyHint === true });
  if (err.status >= 500) log.error({ err: err.cause ?? err, tool: name }, 'a tool failed');
  const issues = (err.issues ?? []).slice(0, MAX_ISSUES);
  return {
    isError: true,
    content: [{ type: 'text', text: formatError(err, issues) }],
    structuredContent: { ...err.details, message: err.message, code: err.code, issues: [...issues] },
  };
}

function formatError(
  { message, code, issues: allIssues, details }: AppError,
  issues: readonly Issue[],
): string {
  const total = typeof details?.total === 'number' ? details.total : (allIssues?.length ?? 0);
  const omittedCount = total - issues.length;
  return [
    `${message} (${code})`,
    ...issues.map(formatIssue),
    ...(omittedCount > 0 ? [`- and ${omittedCount} more issues`] : []),
  ].join('\n');
}

function formatIssue(issue: Issue): string {
  const location = [issue.nodeId ?? issue.edgeId, issue.path].filter(part => part !== undefined).join(' ');
  return `- ${location === '' ? '' : `${location}: `}${issue.message} (${issue.code})`;
}
