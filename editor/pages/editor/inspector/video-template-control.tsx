// Renders the setting of a video template, with a dialog that shows all templates.

import ChevronsUpDown from 'icon:chevrons-up-down';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { VideoTemplate } from '../../../../sdk/src/schemas.ts';
import { messages } from '../../../flow-messages.ts';
import { Dialog } from '../../../kit/dialog.tsx';
import { Thumbnail } from '../../../kit/media-view.tsx';
import { Loading } from '../../../kit/spinner.tsx';
import { apiQuery } from '../../../lib/queries.ts';
import files from '../../../session/media-files.module.css';
import type { ControlProps } from './controls.tsx';
import styles from './inspector.module.css';

const videoTemplateMessages = messages.flow.videoTemplate;

export function VideoTemplateControl({ input, value, onChange }: ControlProps) {
  const [isOpen, setOpen] = useState(false);
  const id = typeof value === 'string' ? value : '';
  const queries = useQueryClient();
  const { data: templates } = useQuery({ ...VIDEO_TEMPLATES_QUERY, enabled: id !== '' });
  const name = templates?.data.find(template => template.id === id)?.label ?? id;
  // The service draws the thumbnails on the first request, which takes seconds.
  const preload = (): void =>
    void queries.ensureQueryData(VIDEO_TEMPLATES_QUERY).then(
      ({ data }) => {
        for (const template of data) new Image().src = getThumbnailUrl(template.id);
      },
      () => undefined,
    );
  return (
    <div className={styles.model}>
      <span>{input.label}</span>
      <button
        type="button"
        aria-haspopup="dialog"
        aria-label={`${name || videoTemplateMessages.none}: ${videoTemplateMessages.choose}`}
        onPointerEnter={preload}
        onFocus={preload}
        onClick={() => setOpen(true)}
      >
        {name || videoTemplateMessages.none}
        <ChevronsUpDown size={15} aria-hidden />
      </button>
      {isOpen && (
        <TemplateDialog
          onClose={() => setOpen(false)}
          onChoose={templateId => {
            setOpen(false);
            onChange(templateId);
          }}
        />
      )}
    </div>
  );
}

const getThumbnailUrl = (id: string): string => `/api/v1/renderer/templates/${id}/thumbnail`;

/** Queries all video templates, at the path for session cookies. */
export const VIDEO_TEMPLATES_QUERY = {
  ...apiQuery<{ readonly data: readonly VideoTemplate[] }>(['/app/renderer/templates']),
  staleTime: 60_000,
};

interface TemplateDialogProps {
  readonly onChoose: (id: string) => void;
  readonly onClose: () => void;
}

function TemplateDialog({ onChoose, onClose }: TemplateDialogProps) {
  const { data, error } = useQuery(VIDEO_TEMPLATES_QUERY);
  return (
    <Dialog title={videoTemplateMessages.title} size="l" onClose={onClose}>
      {error !== null && <p role="alert">{videoTemplateMessages.failed}</p>}
      {data === undefined && error === null && <Loading />}
      <ul className={`${files.library} ${styles.videos}`}>
        {data?.data.map(({ id, label }) => (
          <li key={id}>
            <button type="button" onClick={() => onChoose(id)}>
              <span className={styles.thumbnail}>
                <Thumbnail url={getThumbnailUrl(id)} contentType="image/webp" />
              </span>
              <span>{label}</span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
