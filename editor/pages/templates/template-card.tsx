// Renders a template as a card. Its video plays while the pointer is over the card.

import LayoutTemplate from 'icon:layout-template';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Template } from '../../../sdk/src/schemas.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import cards from '../../kit/cards.module.css';
import { showError } from '../../kit/failure.tsx';
import { Thumbnail } from '../../kit/media-view.tsx';
import { PosterFrame } from '../../kit/poster.tsx';
import { api } from '../../lib/api.ts';
import { messages as sharedMessages } from '../../messages.ts';
import { messages } from './messages.ts';
import styles from './page.module.css';

export function TemplateCard({ template }: { readonly template: Template }) {
  const { id, title, description, workflowId, canDuplicate, isOwner, tags } = template;
  const duplicate = useDuplicate(id);
  return (
    <li className={cards.card}>
      <PosterFrame backdropUrl={template.poster ?? undefined} className={styles.poster}>
        {onSize => <Picture template={template} onSize={onSize} />}
      </PosterFrame>
      <div className={cards.about}>
        <h2>{workflowId === null ? title : <a href={`/flow/${workflowId}`}>{title}</a>}</h2>
        {description && <p className={styles.description}>{description}</p>}
        <p className={cards.facts}>
          <Readiness template={template} />
          <Price template={template} />
          {isOwner && <Badge tone="accent">{messages.own}</Badge>}
          {tags.slice(0, 3).map(tag => (
            <Badge key={tag}>{tag}</Badge>
          ))}
        </p>
        {canDuplicate && (
          <div className={styles.use}>
            <Button
              variant="primary"
              size="s"
              aria-label={messages.labelOfUse(title)}
              isBusy={duplicate.isPending}
              onClick={() => duplicate.mutate()}
            >
              {messages.use}
            </Button>
          </div>
        )}
      </div>
    </li>
  );
}

/** Shows whether the template can run in this service now, or what is missing: credits or providers. */
function Readiness({
  template: { runsNow, needs, hasSample, needsCredits, credits },
}: {
  readonly template: Template;
}) {
  if (runsNow) return <Badge tone="success">{messages.runsNow}</Badge>;
  if (needs.length === 0) return null;
  if (needsCredits && credits !== null) return <Badge>{messages.needsCredits(credits)}</Badge>;
  const names = needs.map(sharedMessages.provider);
  return <Badge>{hasSample ? messages.sample(names) : messages.needs(names)}</Badge>;
}

interface PictureProps {
  readonly template: Template;
  readonly onSize: (width: number, height: number) => void;
}

function Picture({ template: { preview, poster, card }, onSize }: PictureProps) {
  if (card !== null && poster === null)
    return <img className={styles.card} src={card} alt="" width={640} height={360} loading="lazy" />;
  if (preview !== null) return <Thumbnail {...preview} posterUrl={poster} onSize={onSize} />;
  if (poster !== null) return <Thumbnail url={poster} contentType="image/*" onSize={onSize} />;
  return <LayoutTemplate size={28} />;
}

function Price({ template: { credits, creditsExact } }: { readonly template: Template }) {
  if (credits === null) return <span>{messages.priceUnknown}</span>;
  return <span>{credits === 0 && creditsExact ? messages.free : messages.price(credits, creditsExact)}</span>;
}

/** Duplicates the template's workflow and opens the copy. */
function useDuplicate(templateId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.post(`/templates/${templateId}/duplicate`, {}),
    onSuccess: ({ id }) => {
      void client.invalidateQueries({ queryKey: ['/workflows'] });
      location.assign(`/flow/${id}`);
    },
    onError: showError,
  });
}
