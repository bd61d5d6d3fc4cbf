// Explains to visitors why a run was refused or failed, without revealing the graph, its models or prices.
import { AppError, type ErrorCode } from '../lib/errors.ts';
import { isPayerPolicyError } from '../runs/estimate/run-issues.ts';
import { APP_LIMIT_MESSAGE, createAppLimitError } from '../runs/payments/app-limit.ts';
import { isLimitError } from '../runs/payments/spender-limit.ts';
import type { ExecutionRow } from '../store/executions.ts';
import { createOutOfOrderError, OUT_OF_ORDER } from './open-app.ts';

type FailureKind = 'input' | 'credits' | 'limit' | 'cancelled' | 'out of order' | 'failed';

const KIND_BY_CODE: Readonly<Record<string, FailureKind>> = {
  invalid_inputs: 'input',
  invalid_input: 'input',
  svg_not_drawable: 'input',
  unreadable_image: 'input',
  unreadable_media: 'input',
  unsupported_type: 'input',
  file_too_large: 'input',
  missing_media: 'input',
  missing_input: 'input',
  missing_text: 'input',
  text_too_long: 'input',
  provider_invalid_input: 'input',
  provider_content_policy: 'input',
  insufficient_credits: 'credits',
  max_credits_exceeded: 'credits',
  app_limit_reached: 'limit',
  daily_budget_exceeded: 'limit',
  member_limit_exceeded: 'credits',
  key_limit_exceeded: 'credits',
  daily_limit_exceeded: 'limit',
  daily_execution_limit: 'limit',
  rate_limited: 'limit',
  cancelled: 'cancelled',
  // The owner has to change the workflow, its provider or their account.
  provider_not_configured: 'out of order',
  local_nodes_off: 'out of order',
  comfyui_missing: 'out of order',
  local_model_invalid: 'out of order',
  local_process_ended: 'out of order',
  local_out_of_memory: 'input',
  local_timed_out: 'input',
  provider_auth: 'out of order',
  provider_insufficient_funds: 'out of order',
  provider_unavailable: 'out of order',
  unpriced_model: 'out of order',
  not_allowed_by_policy: 'out of order',
  workflow_inactive: 'out of order',
  invalid_graph: 'out of order',
  cyclic_graph: 'out of order',
  component_missing: 'out of order',
  component_forbidden: 'out of order',
  component_circle: 'out of order',
  component_too_deep: 'out of order',
  component_too_large: 'out of order',
  unknown_node_type: 'out of order',
  unknown_secret: 'out of order',
  missing_max_credits: 'out of order',
  forbidden: 'out of order',
  not_found: 'out of order',
};

const TEXTS: Readonly<
  Record<FailureKind, readonly [code: ErrorCode | 'cancelled' | 'run_failed', message: string]>
> = {
  input: ['invalid_inputs', 'The app cannot use one of the inputs. Change them and try again.'],
  credits: ['app_out_of_credits', 'There are not enough credits for this run.'],
  limit: ['app_limit_reached', APP_LIMIT_MESSAGE],
  cancelled: ['cancelled', 'The run was canceled.'],
  'out of order': ['app_out_of_order', OUT_OF_ORDER],
  failed: ['run_failed', 'The run failed. Try again, or change the inputs.'],
};

/** Returns whether the app cannot run until its owner solves the problem. */
export const needsOwner = (code: string): boolean =>
  KIND_BY_CODE[code] === 'out of order' ||
  code === 'insufficient_credits' ||
  code === 'member_limit_exceeded';

/** Returns the error of an ended run as its visitor sees it. */
export function explainFailure({ error }: Pick<ExecutionRow, 'error'>) {
  if (error === null) return null;
  const runError = JSON.parse(error) as { readonly code: string };
  const [code, message] = TEXTS[KIND_BY_CODE[runError.code] ?? 'failed'];
  return { code, message };
}

/** Returns the error for a visitor whose run was refused. Errors of the service are returned unchanged. */
export function explainRefusal(err: unknown, isPaidByVisitor: boolean): unknown {
  if (!(err instanceof AppError)) return err;
  if (MEANT_FOR_VISITORS.has(err.code)) return err;
  // It is the visitor's own limit, or the policy of the visitor's team.
  if (isPaidByVisitor && (isLimitError(err) || isPayerPolicyError(err))) return err;
  const kind = KIND_BY_CODE[err.code];
  if (kind === 'out of order') return createOutOfOrderError(err);
  if (kind === 'limit') return createAppLimitError();
  if (kind === 'credits') {
    const shortage = isPaidByVisitor
      ? 'Your workspace does not have enough credits for this run.'
      : TEXTS.credits[1];
    const message =
      err.code === 'max_credits_exceeded' ? 'This run would cost more than a run of this app may.' : shortage;
    return new AppError('app_out_of_credits', message, { cause: err });
  }
  if (kind === 'input') return new AppError('invalid_inputs', TEXTS.input[1], { cause: err });
  return err.status >= 500 ? err : createOutOfOrderError(err);
}

/** The codes of errors that visitors get unchanged. */
const MEANT_FOR_VISITORS: ReadonlySet<ErrorCode> = new Set([
  'idempotency_in_progress',
  'idempotency_key_reused',
  'invalid_request',
  'app_limit_reached',
]);
