import { defineConfig } from 'vite';

// `npx vite` serves the page while you write it, and passes requests on to the host that `npm start` has started.
export default defineConfig({
  server: { proxy: { '^/(agents|threads|interrupts)': 'http://127.0.0.1:4690' } },
});
