// Renders a few templates that can run in this service now, as the next step on an empty page.
import cards from '../../kit/cards.module.css';
import { useList } from '../../kit/infinite-list.tsx';
import { messages } from './messages.ts';
import styles from './page.module.css';
import { TemplateCard } from './template-card.tsx';

const MAX_SHOWN_TEMPLATES = 5;

export function Suggestions() {
  const list = useList('/templates', { limit: 48 });
  const templates = list.data ?? [];
  const runnable = templates.filter(({ runsNow, canDuplicate }) => runsNow && canDuplicate);
  if (runnable.length === 0) return null;
  return (
    <section>
      <h2 className={styles.sectionTitle}>{messages.suggestions}</h2>
      <ul className={cards.grid}>
        {runnable.slice(0, MAX_SHOWN_TEMPLATES).map(template => (
          <TemplateCard key={template.id} template={template} />
        ))}
      </ul>
    </section>
  );
}
