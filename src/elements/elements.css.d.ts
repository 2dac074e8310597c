// Lets TypeScript accept `import 'holdpoint/elements.css'`.
