// Renders the user's second factors: authenticator app, passkeys and recovery codes.

import ShieldAlert from 'icon:shield-alert';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SecondFactors } from '../../../../sdk/src/schemas.ts';
import { Banner } from '../../../kit/banner.tsx';
import { Button } from '../../../kit/button.tsx';
import { ConfirmDialog } from '../../../kit/confirm-dialog.tsx';
import { PageHead } from '../../../kit/page-head.tsx';
import { QueryResult } from '../../../kit/query-result.tsx';
import { api } from '../../../lib/api.ts';
import { apiQuery } from '../../../lib/queries.ts';
import { useReloadAndToast } from '../../../lib/reload-and-toast.ts';
import { messages as settingsMessages } from '../messages.ts';
import { Introduction, Section } from '../section.tsx';
import { AppDialog } from './app-dialog.tsx';
import { CodesDialog } from './codes-dialog.tsx';
import { messages } from './messages.ts';
import { Passkeys } from './passkeys.tsx';
import { SECOND_FACTOR_QUERIES } from './second-factor-queries.ts';

export function Security() {
  const query = useQuery(apiQuery(['/auth/second-factors']));
  return (
    <>
      <PageHead title={settingsMessages.parts.security} />
      <Introduction>{messages.description}</Introduction>
      <QueryResult query={query}>{factors => <Factors {...factors} />}</QueryResult>
    </>
  );
}

function Factors(factors: SecondFactors) {
  const hasFactor = factors.totp || factors.passkeys.length > 0;
  const [codes, setCodes] = useState<readonly string[]>();
  const createCodes = async (): Promise<void> => setCodes((await api.post('/auth/recovery-codes')).codes);
  // Who adds a first factor gets recovery codes right away.
  const onAdded = async (): Promise<void> => {
    if (factors.recoveryCodes === 0) await createCodes();
  };
  return (
    <>
      {factors.requiredBy !== null && !hasFactor && (
        <Banner kind="card" tone="warning" icon={ShieldAlert}>
          <span>{messages.required(factors.requiredBy)}</span>
        </Banner>
      )}
      <Passkeys {...factors} onAdded={onAdded} />
      <AuthenticatorApp isSetUp={factors.totp} onAdded={onAdded} />
      {hasFactor && <Recovery count={factors.recoveryCodes} onCreate={createCodes} />}
      {codes && <CodesDialog codes={codes} onClose={() => setCodes(undefined)} />}
    </>
  );
}

interface AuthenticatorAppProps {
  readonly isSetUp: boolean;
  readonly onAdded: () => Promise<void>;
}

function AuthenticatorApp({ isSetUp, onAdded }: AuthenticatorAppProps) {
  const [openDialog, setOpenDialog] = useState<'set up' | 'remove'>();
  const reloadAndToast = useReloadAndToast();
  const close = (): void => setOpenDialog(undefined);
  return (
    <Section
      title={messages.app}
      actions={
        <>
          <Button onClick={() => setOpenDialog('set up')}>
            {isSetUp ? messages.replaceApp : messages.setUpApp}
          </Button>
          {isSetUp && <Button onClick={() => setOpenDialog('remove')}>{messages.remove}</Button>}
        </>
      }
    >
      <p>{isSetUp ? messages.appOn : messages.appOff}</p>
      {openDialog === 'set up' && <AppDialog onAdded={onAdded} onClose={close} />}
      {openDialog === 'remove' && (
        <ConfirmDialog
          title={messages.removeAppTitle}
          action={messages.remove}
          onConfirm={async () => {
            await api.delete('/auth/totp');
            await reloadAndToast(messages.appRemoved, SECOND_FACTOR_QUERIES);
          }}
          onClose={close}
        >
          {messages.removeAppText}
        </ConfirmDialog>
      )}
    </Section>
  );
}

function Recovery({ count, onCreate }: { readonly count: number; readonly onCreate: () => Promise<void> }) {
  const [isReplacing, setReplacing] = useState(false);
  const [isCreating, setCreating] = useState(false);
  const create = async (): Promise<void> => {
    setCreating(true);
    await onCreate().finally(() => setCreating(false));
  };
  return (
    <Section
      title={messages.codes}
      actions={
        <Button isBusy={isCreating} onClick={() => (count === 0 ? void create() : setReplacing(true))}>
          {count === 0 ? messages.createCodes : messages.newCodes}
        </Button>
      }
    >
      <p>{messages.codesLeft(count)}</p>
      {isReplacing && (
        <ConfirmDialog
          title={messages.newCodesTitle}
          action={messages.newCodes}
          onConfirm={onCreate}
          onClose={() => setReplacing(false)}
        >
          {messages.newCodesText}
        </ConfirmDialog>
      )}
    </Section>
  );
}
