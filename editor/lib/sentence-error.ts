// An error whose message is a sentence for whoever uses the page.
export class SentenceError extends Error {}
