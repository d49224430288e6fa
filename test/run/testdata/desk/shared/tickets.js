const tickets = [
  { id: 1, subject: "Printer is on fire", status: "open", priority: 1 },
  { id: 2, subject: "Password forgotten", status: "open", priority: 3 },
  { id: 3, subject: "Screen is dark", status: "waiting", priority: 2 },
  { id: 4, subject: "Mouse is missing", status: "closed", priority: 4 },
  { id: 5, subject: "Phone is silent", status: "open", priority: 5 },
];
const size = 4;
let place = 0;

const visible = (text, status) => tickets.filter((t) => t.subject.toLowerCase().includes(text.toLowerCase()) && (!status || t.status === status))
  .slice(place * size, (place + 1) * size);

const sortByPriority = () => tickets.sort((a, b) => a.priority - b.priority);
