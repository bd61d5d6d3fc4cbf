// Markdown of content pages → the markup that is stored with them. The libraries that make it are loaded with the first page.

/**
 * What was rendered is stored with the page, so that no reader waits for it; `format` is raised with every change of
 * markdown.ts that changes markup, and markup of another format is rendered anew.
 */
export const MARKDOWN = {
  format: 1,
  async render(parts: readonly string[]): Promise<string[]> {
    const { renderMarkdown } = await import('./markdown.ts');
    return parts.map(renderMarkdown);
  },
} as const;
