// Renders the embed settings of an app: the allowed origins, the HTML code, and the key that signs tokens of visitors.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { AppSettings } from '../../../../../sdk/src/schemas.ts';
import { messages } from '../../../../flow-messages.ts';
import { Button } from '../../../../kit/button.tsx';
import { ConfirmDialog } from '../../../../kit/confirm-dialog.tsx';
import { CopyButton } from '../../../../kit/copy-button.tsx';
import { Failure } from '../../../../kit/failure.tsx';
import { TextArea, TextField } from '../../../../kit/field.tsx';
import formStyles from '../../../../kit/form.module.css';
import { api } from '../../../../lib/api.ts';
import dialogStyles from '../dialogs.module.css';
import styles from './app.module.css';
import { toEmbedCode } from './app-form.ts';

const embedMessages = messages.flow.app.embed;

interface EmbedProps {
  /** Undefined until the app is created. */
  readonly app: AppSettings | undefined;
  /** The API path of the app's settings. */
  readonly path: `/workflows/${string}/app`;
  /** One origin per line. */
  readonly origins: string;
  readonly onChange: (origins: string) => void;
}

export function Embed({ app, path, origins, onChange }: EmbedProps) {
  const code = app && toEmbedCode(app);
  return (
    <details className={styles.embed} open={origins !== '' || undefined}>
      <summary>{embedMessages.title}</summary>
      <div className={styles.details}>
        <TextArea
          label={embedMessages.origins}
          hint={embedMessages.originsHint}
          rows={2}
          spellCheck={false}
          value={origins}
          onChange={({ target }) => onChange(target.value)}
        />
        {code === undefined ? (
          <p className={formStyles.muted}>{embedMessages.saveFirst}</p>
        ) : (
          <>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
            <pre className={formStyles.code} tabIndex={0}>
              {code}
            </pre>
            <div className={dialogStyles.copy}>
              <CopyButton text={code} label={embedMessages.copyCode} isLabeled />
            </div>
            <EmbedKey path={path} hasKey={app?.hasEmbedKey === true} />
          </>
        )}
      </div>
    </details>
  );
}

function EmbedKey({ path, hasKey }: { readonly path: `/workflows/${string}/app`; readonly hasKey: boolean }) {
  const client = useQueryClient();
  const [isReplacing, setReplacing] = useState(false);
  const create = useMutation({
    mutationFn: () => api.post(`${path}/embed-key`),
    onSuccess: () => client.setQueryData<AppSettings>([path], old => old && { ...old, hasEmbedKey: true }),
  });
  const key = create.data?.key;
  return (
    <>
      <p className={formStyles.muted}>{embedMessages.keyText}</p>
      {key !== undefined && (
        <div className={styles.key}>
          <TextField
            label={embedMessages.key}
            hint={embedMessages.keyOnce}
            value={key}
            readOnly
            spellCheck={false}
            onFocus={({ target }) => target.select()}
          />
          <CopyButton text={key} label={embedMessages.copyKey} isLabeled />
        </div>
      )}
      {create.error && <Failure error={create.error} />}
      <div>
        <Button isBusy={create.isPending} onClick={() => (hasKey ? setReplacing(true) : create.mutate())}>
          {hasKey ? embedMessages.replaceKey : embedMessages.createKey}
        </Button>
      </div>
      {isReplacing && (
        <ConfirmDialog
          title={embedMessages.replaceTitle}
          action={embedMessages.replaceKey}
          onConfirm={() => create.mutateAsync()}
          onClose={() => setReplacing(false)}
        >
          {embedMessages.replaceText}
        </ConfirmDialog>
      )}
    </>
  );
}
