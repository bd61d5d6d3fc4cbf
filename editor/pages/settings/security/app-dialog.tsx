// Renders the dialog that sets up an authenticator app with a QR code.
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { encode } from 'uqr';
import { CopyButton } from '../../../kit/copy-button.tsx';
import { TextField } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/form-dialog.tsx';
import { QueryResult } from '../../../kit/query-result.tsx';
import { api } from '../../../lib/api.ts';
import { useReloadAndToast } from '../../../lib/reload-and-toast.ts';
import { messages as settingsMessages } from '../messages.ts';
import { messages } from './messages.ts';
import { SECOND_FACTOR_QUERIES } from './second-factor-queries.ts';
import styles from './security.module.css';

interface AppDialogProps {
  readonly onAdded: () => Promise<void>;
  readonly onClose: () => void;
}

export function AppDialog({ onAdded, onClose }: AppDialogProps) {
  const [code, setCode] = useState('');
  const reloadAndToast = useReloadAndToast();
  // A new secret each time, and the same one as long as the dialog is open.
  const setup = useQuery({
    queryKey: ['totp setup'],
    queryFn: () => api.post('/auth/totp'),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnMount: 'always',
  });
  const confirm = async (): Promise<void> => {
    await api.post('/auth/totp/confirm', { code: code.replaceAll(' ', '') });
    await onAdded();
    await reloadAndToast(messages.appDone, SECOND_FACTOR_QUERIES);
  };
  return (
    <FormDialog title={messages.app} submitText={messages.confirm} onSubmit={confirm} onClose={onClose}>
      <p>{messages.scan}</p>
      <QueryResult query={setup}>
        {({ secret, uri }) => (
          <div className={styles.setup}>
            <QrCode text={uri} />
            <div className={styles.key}>
              <TextField
                label={messages.key}
                value={secret}
                readOnly
                spellCheck={false}
                onFocus={event => event.target.select()}
              />
              <CopyButton text={secret} label={settingsMessages.copy} />
            </div>
          </div>
        )}
      </QueryResult>
      <TextField
        label={messages.code}
        inputMode="numeric"
        autoComplete="one-time-code"
        pattern="[0-9 ]{6,8}"
        required
        value={code}
        onChange={event => setCode(event.target.value)}
      />
    </FormDialog>
  );
}

/** Draws the code in black on white, also in the dark theme, because many cameras read no other. */
function QrCode({ text }: { readonly text: string }) {
  const { size, path } = useMemo(() => {
    const { size: side, data } = encode(text, { border: 4 });
    const squares = data.flatMap((row, y) =>
      row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])),
    );
    return { size: side, path: squares.join('') };
  }, [text]);
  return (
    <svg
      className={styles.qr}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={messages.qr}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
