// Detects the language of a text by its groups of letters.

import type { LocalTasks } from '../tasks.ts';
import { loadPackage } from './load-package.ts';

interface EldModule {
  readonly eld: {
    detect(text: string): { readonly language: string; getScores(): Readonly<Record<string, number>> };
  };
}

export async function detectLanguage({
  text,
}: LocalTasks['language']['input']): Promise<LocalTasks['language']['output']> {
  const { eld } = await loadPackage<EldModule>('eld/large');
  const result = eld.detect(text);
  const { language } = result;
  const confidence = result.getScores()[language] ?? 0;
  return { language, confidence: Math.round(1000 * Math.max(0, Math.min(1, confidence))) / 1000 };
}
