// Records what calls cost on the credentials of workspaces, in USD, and enforces the credentials' daily limits.
import type { PaidCall, Payment } from '../../engine/types.ts';
import { NodeError } from '../../nodes/define.ts';
import { boundCall, getCreditsToReserve, OVER_MAX_CREDITS, toUsd } from '../../nodes/models/pricing.ts';
import type { RunCredential } from '../../services/credentials/credential.ts';
import { insertCharge, lockDailyUsd, settleCharges } from '../../store/credential-charges.ts';
import type { Db } from '../../store/db.ts';
import type { RunRow } from '../../store/runs.ts';
import { NO_KEY } from '../../store/spenders.ts';
import type { RunDeps } from '../deps.ts';

type ChargedRun = Pick<RunRow, 'id' | 'workspace' | 'workflow_id' | 'user_id' | 'key_id'>;

export interface CredentialPayments {
  /** Reserves the cost of the call. Throws NodeError if the credential must not pay for it. */
  pay(credential: RunCredential, call: PaidCall): Promise<Payment>;
  /** Resolves when the costs of finished calls are stored. */
  whenSettled(): Promise<void>;
}

export function createCredentialPayments(
  { db, log }: Pick<RunDeps, 'db' | 'log'>,
  run: ChargedRun,
): CredentialPayments {
  const writes = new Set<Promise<void>>();
  const settle = (call: PaidCall, usd: number | null, isFree: boolean): void => {
    const change = { ...toChargeKey(run, call), usd, is_free: isFree };
    const write = settleCharges(db, [change])
      .catch((err: unknown) =>
        // The reservation stays, so that the daily limit holds.
        log.warn({ err, executionId: run.id }, 'the cost of a call could not be recorded'),
      )
      .finally(() => writes.delete(write));
    writes.add(write);
  };
  return {
    async pay(credential, call) {
      const { definition, values } = call;
      const boundedValues = boundCall(definition, values);
      const isActive = call.reserved !== undefined;
      if (boundedValues === null && !isActive) throw new NodeError('max_credits_exceeded', OVER_MAX_CREDITS);
      const estimate = estimateUsd(call);
      if (!isActive) await reserve(db, run, credential, call, estimate);
      const payment: Payment & { costUsd: number | null } = {
        credits: 0,
        paidBy: 'credential',
        credentialId: credential.id,
        values: boundedValues ?? values,
        costUsd: null,
        settle: usage => {
          const price = getCreditsToReserve(definition, values);
          const measuredUsd = definition.pricing?.settle?.(values, usage) ?? null;
          payment.costUsd = measuredUsd ?? (price?.isExact === true ? estimate : null);
          if (payment.costUsd !== estimate || estimate === null) settle(call, payment.costUsd, false);
          return 0;
        },
        refund: () => settle(call, null, true),
      };
      return payment;
    },
    async whenSettled() {
      await Promise.all(writes);
    },
  };
}

/** Returns the most that the call may cost; null if that is unknown. */
export function estimateUsd({ definition, values }: Pick<PaidCall, 'definition' | 'values'>): number | null {
  const { pricing } = definition;
  if (pricing?.isUnpriced?.(values) === true) return null;
  const exactUsd = pricing?.usd(values) ?? null;
  if (exactUsd !== null && Number.isFinite(exactUsd)) return exactUsd;
  const bound = getCreditsToReserve(definition, values);
  return bound === null ? null : toUsd(bound.credits);
}

async function reserve(
  db: Db,
  run: ChargedRun,
  credential: RunCredential,
  call: PaidCall,
  usd: number | null,
): Promise<void> {
  const { workspace, workflow_id, user_id, key_id } = run;
  const charge = {
    ...toChargeKey(run, call),
    credential_id: credential.id,
    workspace,
    user_id,
    key_id: key_id ?? NO_KEY,
    workflow_id,
    node_type: call.node.nodeType,
    usd,
  };
  await db.transaction(async tx => {
    const { limit = null, spent = 0 } = (await lockDailyUsd(tx, credential.id)) ?? {};
    if (limit !== null && usd === null) throw new NodeError('unpriced_model', describeUnpriced(credential));
    if (limit !== null && spent + (usd ?? 0) > limit)
      throw new NodeError(
        'daily_limit_exceeded',
        describeOverLimit(credential, { needed: usd ?? 0, limit, spent }),
      );
    await insertCharge(tx, charge);
  });
}

const toChargeKey = ({ id }: Pick<RunRow, 'id'>, { node, item }: PaidCall) => ({
  execution_id: id,
  node_id: node.id,
  item,
});

export function describeUnpriced({ name }: Pick<RunCredential, 'name'>): string {
  return `The price of this model is not known, so the daily limit of the credential “${name}” does not allow it. Use another model, or remove the limit.`;
}

export function describeOverLimit(
  { name }: Pick<RunCredential, 'name'>,
  { needed, limit, spent }: { readonly needed: number; readonly limit: number; readonly spent: number },
): string {
  return `This needs ${formatUsd(needed)} USD, but calls with the credential “${name}” have cost or reserved ${formatUsd(spent)} of ${formatUsd(limit)} USD today (UTC). Raise its daily limit or try again tomorrow.`;
}

const formatUsd = (usd: number): string => String(Number(usd.toFixed(4)));
